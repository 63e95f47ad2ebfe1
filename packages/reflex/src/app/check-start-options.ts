import type { AgentChoice } from '../policy/index.ts'
import { faults } from '../runs/faults.ts'
import type { Fault, Program, Programs } from '../kernel/index.ts'
import type { ChosenOption } from './kind-options.ts'
import type { Kinds } from '../programs/kinds.ts'
import { quote, suggest } from '../text/index.ts'

/**
 * Refuses an option without effect: neither the program nor the programs that it calls know it, so it would mislead the user.
 * Throws `R2031`.
 */
export function checkStartOptions(
  programs: Programs,
  kinds: Kinds,
  program: Program,
  { chosen, agent }: { readonly chosen: readonly ChosenOption[]; readonly agent: AgentChoice | undefined },
): void {
  const closure = programs.closure(program)
  const ineffective = ineffectiveOption(closure, program, chosen) ?? ineffectiveAgent(kinds, closure, agent)
  if (ineffective !== undefined) throw ineffective
}

function ineffectiveOption(closure: readonly Program[], { name, kind }: Program, chosen: readonly ChosenOption[]): Fault | undefined {
  for (const { kind: owner, option } of chosen) {
    const isKnown = option.root === true ? kind === owner : closure.some((called) => called.kind === owner)
    const [other, why] = option.with ?? []
    const lacks = other !== undefined && !chosen.some((one) => one.kind === owner && one.name === other)
    if (isKnown && !lacks) continue
    return faults.make('R2031', `${option.flag} has no effect on ${name}: ${isKnown ? why : option.ignored(kind)}`, { fix: 'leave it out' })
  }
  return undefined
}

/**
 * Returns `R2031` for an agent that no program uses, or that is named for a node that no program has: otherwise another agent
 * would decide without notice.
 */
function ineffectiveAgent(kinds: Kinds, closure: readonly Program[], agent: AgentChoice = {}): Fault | undefined {
  const { default: all, perNode = {}, script } = agent
  const nodes = Object.keys(perNode)
  if (all === undefined && script === undefined && nodes.length === 0) return undefined
  const agentPrograms = closure.filter(({ kind }) => kinds.view(kind).decides !== undefined)
  if (agentPrograms.length === 0)
    return faults.make(
      'R2031',
      `--agent has no effect on ${closure[0]?.name ?? 'it'}: agents decide at nodes of workflows, and it calls none`,
      {
        fix: 'leave it out',
      },
    )
  const known = new Set(agentPrograms.flatMap((program) => nodeNames(kinds, program)))
  const unknownNode = nodes.find((node) => !known.has(node))
  if (unknownNode === undefined) return undefined
  const guess = suggest(unknownNode, [...known])
  const hint = guess === undefined ? '' : `; did you mean ${quote(guess)}?`
  return faults.make('R2031', `an agent is named for ${quote(unknownNode)}; there is no such node${hint}`, {
    fix: guess === undefined ? 'name a node, or WORKFLOW/NODE' : `write ${quote(guess)}`,
  })
}

function nodeNames(kinds: Kinds, { kind, name, def }: Program): string[] {
  const ids =
    kinds
      .view(kind)
      .graph?.(def)
      .nodes.map(({ id }) => id) ?? []
  return [...ids, ...ids.map((id) => `${name.slice(kind.length + 1)}/${id}`)]
}
