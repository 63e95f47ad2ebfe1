import { type Fault, type Peek, type Pin, toFault } from '../../kernel/index.ts'
import { readCapability } from '../../policy/index.ts'
import { offeredTool } from '../../tools/index.ts'
import { faults } from '../../runs/faults.ts'
import type { Reflex } from '../reflex.ts'
import { memberFaults } from './faults.ts'
import { checkName } from './names.ts'

/** Returns the word for a kind as a run has pinned it: `kind:workflow@3`. */
function kindWord([, kind, rev]: Pin): string {
  return `kind:${kind}@${rev}`
}

/** What one process can run, in words, and what it lacks of a run. */
export class WorkerWords {
  /** Sorted: workers with the same words take the same runs. */
  readonly can: readonly string[]
  readonly #reflex: Reflex

  private constructor(reflex: Reflex, can: readonly string[]) {
    this.#reflex = reflex
    this.can = can
  }

  /**
   * Loads every kind, and states what the process runs: each revision of each kind, its tools, the providers of models that it can ask, and
   * what its operator says of it. A kind that cannot be loaded is reported and left out. Throws `R5143` for a word that is not a name.
   */
  static async of(reflex: Reflex, has: readonly string[]): Promise<WorkerWords> {
    const kinds = await Promise.all(reflex.kinds.names.map((name) => kindWords(reflex, name)))
    const words = [
      ...kinds.flat(),
      ...reflex.tools.names().map((name) => `tool:${name}`),
      ...reflex.modelProviders.map((name) => `model:${name}`),
      ...has.map((word) => `has:${checkName('--has', word)}`),
    ]
    return new WorkerWords(reflex, [...new Set(words)].sort())
  }

  /**
   * Throws `R5144` with the words of `needs` in its data, if the programs of a stored run need what this process does not have. The modules of
   * tools that the run names are loaded before: it brings them itself.
   */
  readonly require = ({ row, state, definitions }: Peek): void => {
    const { tools } = this.#reflex
    const needs = state.pins.flatMap((pin, i) => [
      ...(this.can.includes(kindWord(pin)) ? [] : [kindWord(pin)]),
      ...this.#toolsOf(definitions.program(i)).flatMap((name) => (offeredTool(tools, name) === undefined ? [`tool:${name}`] : [])),
    ])
    if (needs.length > 0) throw lacking(row.id, needs)
  }

  /** Returns the kinds and revisions of a run that this process does not have, for a run whose programs it cannot read. */
  kindsLacking(pins: readonly Pin[]): readonly string[] {
    return pins.map(kindWord).filter((word) => !this.can.includes(word))
  }

  /** Returns the names of the tools that a program calls by name, as its kind says and as its capabilities say. */
  #toolsOf({ kind, def }: { readonly kind: string; readonly def: unknown }): readonly string[] {
    const { runtime, kinds } = this.#reflex
    const stated = (runtime.programs.kind(kind).needs?.(def) ?? []).flatMap(toolIn)
    return [...new Set([...stated, ...(kinds.reader(kind)?.tools?.(def) ?? [])])]
  }
}

async function kindWords(reflex: Reflex, name: string): Promise<readonly string[]> {
  if (reflex.kinds.isHosted(name)) return []
  try {
    const { rev, oldestRev = 1 } = await reflex.runtime.programs.load(name)
    return Array.from({ length: rev - oldestRev + 1 }, (_, i) => `kind:${name}@${oldestRev + i}`)
  } catch (thrown) {
    reflex.report(toFault(thrown, (message, cause) => faults.make('R9002', `the kind ${name} cannot be loaded: ${message}`, { cause })))
    return []
  }
}

/** Returns the tool of a capability that names one: `arbor://tool/git.log`. */
function toolIn(capability: string): readonly string[] {
  const read = readCapability(capability)
  const [area, name, ...rest] = 'steps' in read ? read.steps : []
  return area === 'tool' && name !== undefined && rest.length === 0 && !name.includes('*') ? [name] : []
}

function lacking(run: string, needs: readonly string[]): Fault {
  const words = [...new Set(needs)].sort()
  return memberFaults.make('R5144', `this worker lacks ${words.join(', ')}`, { run, data: { needs: words } })
}
