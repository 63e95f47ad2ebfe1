import { fileURLToPath } from 'node:url'
import type { ArchiveSecret } from '../history/archive/format.ts'
import { faults } from '../runs/faults.ts'
import {
  Fault,
  type FaultData,
  type Json,
  type Program,
  type Programs,
  type Rec,
  type RunRow,
  State,
  virtualHost,
} from '../kernel/index.ts'
import { readText } from '../programs/read-text.ts'
import { Reflex } from '../app/reflex.ts'
import { replayRun } from '../app/replaying.ts'
import type { ReplayDifference } from '../app/replaying-difference.ts'
import { ChangedPrograms } from '../app/replaying-changed.ts'
import { memoryStore } from '../store/index.ts'
import { type CrashReport, crashEverywhere, type CrashOptions } from './scripted/crash.ts'
import { effectName, AnswerMemory, Settled } from './scripted/answer-memory.ts'
import { Outside } from './scripted/outside.ts'
import { fileOf, programOf, type Testable } from './scripted/program.ts'
import type { ScriptedOptions } from './scripted/script.ts'
import { ScriptedWorld, surroundingsOf } from './scripted/scripted-world.ts'

/**
 * The settings for reading a recorded run, and facts that are not in its journal: tools that can be repeated, functions of guards,
 * handlers.
 */
export interface RecordedOptions extends Omit<ScriptedOptions, 'decide' | 'models' | 'answers' | 'now'> {
  /** The secret of the signature; the archive must be signed with it. */
  readonly secret?: ArchiveSecret
}

/** The result of replaying a recorded run. */
export interface RecordedResult {
  /** The number of records that were decided again. */
  readonly records: number
  /** The number of decisions by agents that were applied again. */
  readonly decisions: number
  readonly status: RunRow['status']
  readonly value: Json | undefined
}

/**
 * Reads a recorded run for a test: an archive from `reflex export`, by its file or its lines. Nothing is performed: the results of effects,
 * the answers of people and the times are in its records.
 *
 *     const t = await recorded(new URL('./refund.run.jsonl', import.meta.url))
 *     await t.replay(refund)
 *
 * Throws `R2070` to `R2084` for an invalid archive, and `R1021` for a file that does not exist.
 */
export async function recorded(archive: string | URL | Iterable<string>, options: RecordedOptions = {}): Promise<RecordedRun> {
  const { secret, ...script } = options
  // The answers of its tools are in the records, so every tool is allowed.
  const world = new ScriptedWorld(script, new Outside(), true)
  const host = virtualHost()
  const reflex = new Reflex({ ...world.options, store: memoryStore(), surroundings: surroundingsOf(host) })
  const { row } = await reflex.import(linesOf(archive), { secret })
  const { records, state } = await reflex.runtime.history(row.id)
  return new RecordedRun({ reflex, world, row, records, state })
}

function linesOf(archive: string | URL | Iterable<string>): Iterable<string> {
  if (typeof archive !== 'string' && !(archive instanceof URL)) return archive
  return readText(archive instanceof URL ? fileURLToPath(archive) : archive)
    .split('\n')
    .filter((line) => line !== '')
}

interface RecordedParts {
  readonly reflex: Reflex
  readonly world: ScriptedWorld
  readonly row: RunRow
  readonly records: readonly Rec[]
  readonly state: State
}

/** A recorded run under test. */
export class RecordedRun {
  readonly #parts: RecordedParts

  constructor(parts: RecordedParts) {
    this.#parts = parts
  }

  /**
   * Makes every decision of the run again and compares. Uses the recorded programs, or `program` in place of the program with that name.
   * Throws `R5041` for the first record that is decided differently, with the place in the program, as in `reflex replay`. Throws `R5043`
   * for a program that the run does not use.
   */
  async replay(program?: Testable): Promise<RecordedResult> {
    const { reflex, row, state } = this.#parts
    const changed = program === undefined ? undefined : await this.#changed(program)
    const { fault, difference, result, equal, noted, decisions } = await replayRun(reflex, row, changed)
    if (fault !== undefined && result === 'differs') throw difference === undefined ? fault : differenceFault(difference)
    return { records: equal + noted, decisions, status: row.status, value: state.ended?.value }
  }

  /** Runs `crashEverywhere` as for a scripted program, in a world that answers from the records. */
  crashEverywhere(options: CrashOptions = {}): Promise<CrashReport> {
    const { reflex, world, records, state } = this.#parts
    const { programs: known } = reflex.runtime
    const root = known.byHash(state.pins[0]?.[3] ?? '')
    return crashEverywhere(
      {
        world,
        memory: memoryOf(records, known),
        known,
        kinds: reflex.kinds,
        programs: root === undefined ? [] : pinnedPrograms(state, known, root),
        state,
        records,
        settings: reflex.runtime.settingsOf(state),
        tools: [],
      },
      options,
    )
  }

  async #changed(program: Testable): Promise<ChangedPrograms> {
    const { reflex, state } = this.#parts
    const file = fileOf(program)
    const names = state.pins.map(([name]) => name)
    if (file !== undefined) {
      const files = new ChangedPrograms(reflex.runtime.programs, reflex.library)
      requireUsed(await files.add(file), names)
      return files
    }
    const other = new Reflex({ ...this.#parts.world.options, store: memoryStore(), surroundings: surroundingsOf(reflex.host) })
    const given = await programOf(other, program)
    requireUsed(given.name, names)
    return new GivenPrograms(reflex, other.runtime.programs)
  }
}

/** Returns the fault of a difference with both sides in its message, because a test runner shows only the message. */
function differenceFault({ fault, path, recorded: before, decided: now }: ReplayDifference): Fault {
  const side = (who: string, { says, open }: ReplayDifference['recorded']): string =>
    `${who} ${says}${open === undefined ? '' : ` (open: ${open.join(', ') || 'nothing'})`}`
  const { code, message, verdict, ...details } = fault.toJSON()
  const sides = `at ${path}: ${side('recorded', before)}; ${side('now', now)}`
  return new Fault(code, `${message}, ${sides}`, verdict, details)
}

function requireUsed(name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw faults.make('R5043', `the run does not use ${name}`, { fix: `pass ${names.join(' or ')}` })
}

/** Programs in memory that replace programs of a run. */
class GivenPrograms extends ChangedPrograms {
  readonly #given: Programs

  constructor({ runtime, library }: Reflex, given: Programs) {
    super(runtime.programs, library)
    this.#given = given
  }

  override find(name: string): Program | undefined {
    return this.#given.find(name)
  }
}

/** Returns the programs that a run pinned, its own first. */
function pinnedPrograms(state: State, known: Programs, root: Program): readonly Program[] {
  const programs = state.pins.flatMap(([, , , hash]) => known.byHash(hash) ?? [])
  return [root, ...programs.filter((program) => program !== root)]
}

/** Returns the answers of the outside from the records. */
function memoryOf(records: readonly Rec[], known: Programs): AnswerMemory {
  const memory = new AnswerMemory()
  const state = new State()
  for (const record of records) {
    const { input } = record
    if (input?.[0] === 'ok' || input?.[0] === 'err') {
      const effect = [...state.pendingEffects()].find(({ id }) => id === input[1])
      const frame = effect?.frame
      const def = known.byHash(state.pins[frame?.pin ?? -1]?.[3] ?? '')?.def
      if (effect !== undefined && frame !== undefined) {
        const name = effectName({ run: state.start?.run ?? '', port: effect.port, args: effect.args, def, frame })
        memory.remember(name, effect.id, input[0] === 'ok' ? Promise.resolve(new Settled(input[2])) : Promise.reject(failureOf(input[2])))
      }
    }
    state.apply(record)
  }
  return memory
}

function failureOf(recorded: Json): Fault {
  const { code, message, verdict, ...details } = recorded as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
