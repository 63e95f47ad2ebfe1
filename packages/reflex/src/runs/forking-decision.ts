import { questionsOf } from './handle.ts'
import { linesOfHistory } from '../history/trace.ts'
import { edgeOf } from '../history/words.ts'
import {
  type Fault,
  type Flight,
  faults as kernelFaults,
  type ForkStanding,
  type Frame,
  framePath,
  type Input,
  isFault,
  type Kind,
  type Rec,
  type Ref,
  type RunPrograms,
  State,
  summary,
} from '../kernel/index.ts'
import { answerTo } from './own-questions.ts'

/** What was decided for a fork, and by whom it was decided in its source. */
export interface ForkDecision {
  readonly place: string
  readonly chose: string
  /** Absent where the source had not come so far. */
  readonly was?: { readonly chose: string; readonly by?: string }
}

/** Who decides in a fork, for its journal. */
const BY = 'the fork'

/** An input that settles something, and what it is in words. */
export interface Settling {
  readonly frame: Frame
  readonly input: Input
  readonly ref: Ref
  readonly place: string
  readonly chose: string
}

/**
 * Finds what a word decides where a run stands: a decision in flight, else an open question. Gives `R2063` if there is none;
 * throws it if it is not clear which, and `R2064`, `R4200` and `R4201` for a word that it does not allow.
 */
export function settlingOf(standing: ForkStanding, word: string, nearest: () => readonly number[]): Settling | Fault {
  const asked = [...decisionsOf(standing), ...openOf(standing)]
  const named = asked.flatMap(({ names, settle }) => names.filter((name) => word.startsWith(`${name}=`)).map((name) => ({ name, settle })))
  const [only] = named
  const places = asked.map(({ place }) => place).join(', ')
  if (only !== undefined && named.length === 1) return only.settle(word.slice(only.name.length + 1))
  const { run, record: at } = standing
  if (asked.length === 0) {
    const near = nearest()
    return kernelFaults.make('R2063', `nothing is to be decided after record ${at} of ${run}`, {
      run,
      ...(near.length === 0
        ? {}
        : { fix: `reflex fork ${run}@${near.at(-1) ?? at} --decide ${/\s/.test(word) ? JSON.stringify(word) : word}`, data: { near } }),
    })
  }
  const found = asked.flatMap(({ settle }): Settling[] => {
    try {
      return [settle(word)]
    } catch (thrown) {
      if (asked.length === 1 || !isFault(thrown)) throw thrown
      return []
    }
  })
  const [settling] = found
  if (settling !== undefined && found.length === 1) return settling
  throw kernelFaults.make('R2063', `${asked.length} things are to be decided after record ${at} of ${run}: ${places}`, {
    run,
    fix: `name one of them: --decide PLACE=WAY, as in ${asked[0]?.place ?? ''}=${word}`,
  })
}

interface Open {
  /** Where it stands: the path of a frame on the stack. */
  readonly place: string
  /** What it is called: so, behind the name of the run's program, or as its own program calls it in messages. */
  readonly names: readonly string[]
  readonly settle: (word: string) => Settling
}

/** Effects in flight whose kind says that they decide something. */
function decisionsOf({ state, definitions }: ForkStanding): Open[] {
  return [...state.flights()].flatMap((flight): Open[] => {
    const { frame, id } = flight
    const { kind, def } = definitions.program(frame.pin)
    const decider = definitions.kind(kind)
    if (flight.doubted || !isDecision(decider, def, flight)) return []
    const place = framePath(frame, definitions)
    const settle = (word: string): Settling => {
      const made = decider.decideAs?.(def, flight, word, BY)
      if (made === undefined) throw kernelFaults.make('R2063', `${place} decides nothing`, { path: place })
      return { frame, input: ['ok', id, made.value], ref: id, place, chose: made.chose }
    }
    return [{ place, names: namesOf(frame, place, definitions), settle }]
  })
}

/** An effect of a decision that began with calls of tools is no decision, though its frame is. No edge has an empty name. */
function isDecision(kind: Kind, def: unknown, flight: Flight): boolean {
  try {
    return kind.decideAs?.(def, flight, '', BY) !== undefined
  } catch (thrown) {
    if (isFault(thrown)) return true
    throw thrown
  }
}

/** Questions of the program that are open. */
function openOf({ run, state, definitions }: ForkStanding): Open[] {
  return questionsOf(run, summary(state, definitions, 'suspended').waits).flatMap((open): Open[] => {
    const wait = [...state.waits.values()].find(({ id }) => String(id) === open.wait)
    // What nobody knows is for people to say; whether an effect may begin is not.
    if (wait === undefined || wait.asker === 'outcome' || open.fault !== undefined) return []
    const { frame, id } = wait
    const settle = (word: string): Settling => {
      const value = answerTo(open, word)
      const chose = typeof value === 'string' ? value : JSON.stringify(value)
      return { frame, input: ['answer', id, value, BY], ref: id, place: open.path, chose }
    }
    return [{ place: open.path, names: namesOf(frame, open.path, definitions), settle }]
  })
}

function namesOf(frame: Frame, place: string, definitions: ForkStanding['definitions']): readonly string[] {
  const { def, kind, name } = definitions.program(frame.pin)
  const root = definitions.program(0)
  const within = definitions.kind(kind).where?.(def, frame.position) ?? ''
  return [...new Set([place, `${idOf(root)}/${place}`, `${idOf({ kind, name })}/${within}`])]
}

function idOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return name.slice(kind.length + 1)
}

/** The nearest records before and after one at which something is to be decided. */
export function decidable(records: readonly Rec[], at: number, definitionsOf: (state: State) => ForkStanding['definitions']): number[] {
  const state = new State()
  const definitions = definitionsOf(state)
  let before: number | undefined
  for (const record of records) {
    state.apply(record)
    if (state.ended !== undefined) break
    const standing = { run: '', record: state.n, state, definitions }
    if (state.n === at || (decisionsOf(standing).length === 0 && openOf(standing).length === 0)) continue
    if (state.n > at) return [...(before === undefined ? [] : [before]), state.n]
    before = state.n
  }
  return before === undefined ? [] : [before]
}

/** What the source decided in the place of a fork, as its trace tells it. */
export function decidedBefore(
  { ref, place }: Settling,
  records: readonly Rec[],
  at: number,
  definitionsFor: (state: State) => RunPrograms,
): ForkDecision['was'] {
  const found = records.findIndex(({ input }, i) => i >= at && (input?.[0] === 'ok' || input?.[0] === 'answer') && input[1] === ref)
  if (found < 0) return undefined
  const lines = linesOfHistory({ records }, definitionsFor).filter(({ event }) => ['decide', 'done', 'answer'].includes(event.mark))
  // A decision that called tools first was made by a later effect of the same node.
  const line = lines.find(({ n }) => n === found + 1) ?? lines.find((later) => later.n > found + 1 && later.place === place)
  if (line === undefined) return undefined
  const { facts = {}, text = '' } = line.event
  const chose = edgeOf(line.event) ?? text
  return { chose, ...(typeof facts.by === 'string' ? { by: facts.by } : {}) }
}
