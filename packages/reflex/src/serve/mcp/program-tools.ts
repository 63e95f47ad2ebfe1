import { createHash } from 'node:crypto'
import type { Reflex } from '../../app/reflex.ts'
import type { JsonObject, Program } from '../../kernel/index.ts'

/** The most characters of the name of a tool that common clients accept. */
const LONGEST_NAME = 64

/** A program of the operator as a tool. */
export interface ProgramTool {
  /** `workflow_refund`. */
  readonly name: string
  readonly program: Program
  readonly about: string
  readonly input: JsonObject
  /** The schema of the result of a call. */
  readonly output: JsonObject
}

/** Returns the programs of the folders of a `Reflex` as tools. A program that cannot be loaded is left out. */
export async function programTools(reflex: Reflex): Promise<ReadonlyMap<string, ProgramTool>> {
  const found = new Map<string, ProgramTool>()
  for (const { kind, id } of await reflex.library.all(reflex.workdir)) {
    const program = await reflex.library.named(`${kind}:${id}`, reflex.workdir).catch(() => undefined)
    if (program === undefined) continue
    const tool = programTool(reflex, kind, id, program)
    if (!found.has(tool.name)) found.set(tool.name, tool)
  }
  return found
}

/** The programs by the names of their tools, as long as no file has changed and each name that is asked for is known. */
const NAMES = new WeakMap<Reflex, { readonly version: string; readonly names: ReadonlyMap<string, string> }>()

/** Returns the program with a tool of this name. Only that program is read again; the names are, when a file has changed or one is unknown. */
export async function toolNamed(reflex: Reflex, name: string): Promise<ProgramTool | undefined> {
  const version = reflex.library.version(reflex.workdir)
  let known = NAMES.get(reflex)
  if (known?.version !== version || !known.names.has(name)) {
    const all = await reflex.library.all(reflex.workdir)
    // The first program of a name has the tool, as in the list.
    known = { version, names: new Map(all.toReversed().map(({ kind, id }) => [toolName(kind, id), `${kind}:${id}`])) }
    NAMES.set(reflex, known)
  }
  const reference = known.names.get(name)
  const program = reference === undefined ? undefined : await reflex.library.named(reference, reflex.workdir).catch(() => undefined)
  if (reference === undefined || program === undefined) return undefined
  const colon = reference.indexOf(':')
  return programTool(reflex, reference.slice(0, colon), reference.slice(colon + 1), program)
}

function programTool(reflex: Reflex, kind: string, id: string, program: Program): ProgramTool {
  const { inputs = { type: 'object' }, output, about } = reflex.kinds.view(kind).signature?.(program.def) ?? {}
  return { name: toolName(kind, id), program, about: about ?? `Runs the ${kind} ${id}.`, input: inputs, output: callSchema(output ?? {}) }
}

/** A name with other characters, or too many, gets a hash, so that it stays the same when programs are added. */
function toolName(kind: string, id: string): string {
  const name = `${kind}_${id}`
  if (/^[\w-]+$/.test(name) && name.length <= LONGEST_NAME) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.replaceAll(/[^\w-]/g, '_').slice(0, LONGEST_NAME - 9)}_${hash}`
}

/** Returns the schema of the result of a call; `value` is the schema of what the program returns. */
export function callSchema(value: JsonObject): JsonObject {
  const text = { type: 'string' }
  return {
    type: 'object',
    properties: {
      run: { ...text, description: 'The name of the run' },
      status: { ...text, enum: ['running', 'suspended', 'completed', 'failed', 'cancelled'] },
      value: { ...value, description: 'The result of a completed run' },
      error: { type: 'object', description: 'The failure of a failed run' },
      questions: {
        type: 'array',
        description: 'The open questions of a suspended run',
        items: { type: 'object', properties: { id: text, text }, required: ['id', 'text'] },
      },
      next: { ...text, description: 'What to do next' },
    },
    required: ['run', 'status'],
  }
}
