import { type Fault, type Json, type Peek, type Pin, type Program, toFault } from '../../kernel/index.ts'
import { readCapability, type RunSettings } from '../../policy/index.ts'
import type { NamingSettings } from '../../programs/host-parts.ts'
import { checkClusterName } from '../../store/index.ts'
import { offeredTool } from '../../tools/index.ts'
import { faults } from '../../runs/faults.ts'
import type { WorkingReflex } from '../run-carrier.ts'
import { memberFaults } from './faults.ts'
import { givenWords, lackingParts } from './host-words.ts'

/** Returns the word for a kind as a run has pinned it: `kind:workflow@3`. */
function kindWord([, kind, rev]: Pin): string {
  return `kind:${kind}@${rev}`
}

type PinnedProgram = Pick<Program, 'kind' | 'def' | 'source'>

/** What one process can run, in words, and what it lacks of a run. */
export class WorkerWords {
  /** Sorted: workers with the same words take the same runs. */
  readonly can: readonly string[]
  readonly #reflex: WorkingReflex
  readonly #known: ReadonlySet<string>

  private constructor(reflex: WorkingReflex, can: readonly string[]) {
    this.#reflex = reflex
    this.can = can
    this.#known = new Set(can)
  }

  /**
   * Loads every kind, and states what the process runs: each revision of each kind, what its host has given to it, its tools, the models that it
   * can ask, and what its operator says of it. A kind that cannot be loaded is reported and left out. Throws `R5110` for a word that is not a
   * name.
   */
  static async of(reflex: WorkingReflex, has: readonly string[]): Promise<WorkerWords> {
    const kinds = await Promise.all(reflex.kinds.names.map((name) => kindWords(reflex, name)))
    const words = [
      ...kinds.flat(),
      ...reflex.tools.names().map((name) => `tool:${name}`),
      ...reflex.modelAccess.words,
      ...has.map((word) => `has:${checkClusterName('--has', word)}`),
    ]
    return new WorkerWords(reflex, [...new Set(words)].sort())
  }

  /**
   * Throws `R5144` with the words of `needs` in its data, if the programs of a stored run need what this process does not have. The modules of
   * tools that the run names are loaded before: it brings them itself.
   */
  readonly require = ({ row, state, definitions }: Peek): void => {
    const settings = this.#reflex.runtime.settingsOf(state)
    const needs = state.pins.flatMap((pin, i) => {
      const program = definitions.program(i)
      const parts = this.#partsLacking(pin, program.source, settings)
      return [...parts, ...this.#toolsLacking(program), ...this.#modelsLacking(program, settings)]
    })
    if (needs.length > 0) throw lacking(row.id, needs)
  }

  /**
   * Returns the words that this process lacks of a run whose programs it cannot compile: read from its pins and their sources alone. Rejects as
   * the store does.
   */
  async lackingOf(run: string): Promise<readonly string[]> {
    const pins = await this.#reflex.runtime.pinsOf(run)
    const found = await Promise.all(
      pins.map(async (pin) => {
        const stored = await this.#reflex.store.program(pin[3])
        return this.#partsLacking(pin, stored === undefined ? undefined : (JSON.parse(stored.source) as Json))
      }),
    )
    return [...new Set(found.flat())].sort()
  }

  #partsLacking(pin: Pin, source: Json | undefined, settings?: NamingSettings): readonly string[] {
    const word = kindWord(pin)
    if (!this.#known.has(word)) return [word]
    return lackingParts(this.#reflex.kinds, { kind: pin[1], functions: pin[4], source }, this.#known, settings)
  }

  #toolsLacking(program: PinnedProgram): readonly string[] {
    const { tools } = this.#reflex
    return this.#toolsOf(program).flatMap((name) => (offeredTool(tools, name) === undefined ? [`tool:${name}`] : []))
  }

  /** A simulated run and one with a recording ask no model. */
  #modelsLacking({ kind, def }: PinnedProgram, { simulated, agent }: RunSettings): readonly string[] {
    if (simulated || agent?.recorded !== undefined) return []
    const asked = this.#reflex.kinds.reader(kind)?.models?.(def, agent === undefined ? {} : { agent }) ?? []
    return asked.length === 0 ? [] : this.#reflex.modelAccess.lacking(asked, agent?.model, this.#known)
  }

  /** Returns the names of the tools that a program calls by name, as its kind says and as its capabilities say. */
  #toolsOf({ kind, def }: PinnedProgram): readonly string[] {
    const { runtime, kinds } = this.#reflex
    const stated = (runtime.programs.kind(kind).needs?.(def) ?? []).flatMap(toolIn)
    return [...new Set([...stated, ...(kinds.reader(kind)?.tools?.(def) ?? [])])]
  }
}

async function kindWords(reflex: WorkingReflex, name: string): Promise<readonly string[]> {
  if (reflex.kinds.isHosted(name)) return []
  try {
    const { rev, oldestRev = 1 } = await reflex.runtime.programs.load(name)
    const revisions = Array.from({ length: rev - oldestRev + 1 }, (_, i) => `kind:${name}@${oldestRev + i}`)
    return [...revisions, ...givenWords(reflex.kinds, name)]
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
