import type { KindWorld } from '../../../programs/kind-module.ts'
import type { SkillTool } from '../model/skill-tool.ts'

/** The argument that is a command, of tools of Reflex that take one: a list of words, or a text of a shell. */
const COMMANDS: Readonly<Record<string, Pick<SkillTool, 'commandLine' | 'script'>>> = {
  command: { commandLine: 'argv' },
  shell: { script: 'command' },
}

/** Returns what the tools of a host declare for skills: what each says of itself, and what the host adds (reference skill 1.6). */
export function skillTools(tools: KindWorld['tools'], added: readonly SkillTool[]): readonly SkillTool[] {
  const said = new Set(added.map(({ name }) => name))
  const own = tools.names().flatMap((name): SkillTool[] => {
    const tool = tools.find(name)
    if (tool === undefined || said.has(name)) return []
    return [
      {
        name,
        sideEffects: tool.leaves ? 'external' : 'none',
        idempotent: tool.repeat !== 'ask',
        ...(Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : {}),
        ...(tool.undo === undefined ? {} : { undo: tool.undo }),
      },
    ]
  })
  return [...own, ...added]
}
