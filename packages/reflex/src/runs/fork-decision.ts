import { questionsOf } from './handle.ts'
import { linesOfHistory } from '../history/trace.ts'
import { edgeOf } from '../history/record-text.ts'
import {
  type Fault,
  type PendingEffect,
  faults as kernelFaults,
  type ForkSource,
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
import { checkAnswer } from './runtime-questions.ts'

/** What was decided for a fork, and by whom it was decided in its source. */
export interface ForkDecision {
  readonly place: string
  readonly chose: string
  /** Absent where the source had not come so far. */
  readonly was?: { readonly chose: string; readonly by?: string }
}

/** Who decides in a fork, for its journal. */
const FORK_ACTOR = 'the fork'

/** An input that settles something, and what it is in words. */
export interface DecisionInput {
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
export function decisionInput(source: ForkSource, word: string, nearest: () => readonly number[]): DecisionInput | Fault {
  const open = [...decisionsOf(source), ...questionsIn(source)]
  const named = open.flatMap(({ names, decide }) => names.filter((name) => word.startsWith(`${name}=`)).map((name) => ({ name, decide })))
  const [single] = named
  const places = open.map(({ place }) => place).join(', ')
  if (single !== undefined && named.length === 1) return single.decide(word.slice(single.name.length + 1))
  const { run, record: at } = source
  if (open.length === 0) {
    const near = nearest()
    return kernelFaults.make('R2063', `nothing is to be decided after record ${at} of ${run}`, {
      run,
      ...(near.length === 0
        ? {}
        : { fix: `reflex fork ${run}@${near.at(-1) ?? at} --decide ${/\s/.test(word) ? JSON.stringify(word) : word}`, data: { near } }),
    })
  }
  const found = open.flatMap(({ decide: settle }): DecisionInput[] => {
    try {
      return [settle(word)]
    } catch (thrown) {
      if (open.length === 1 || !isFault(thrown)) throw thrown
      return []
    }
  })
  const [decided] = found
  if (decided !== undefined && found.length === 1) return decided
  throw kernelFaults.make('R2063', `${open.length} things are to be decided after record ${at} of ${run}: ${places}`, {
    run,
    fix: `name one of them: --decide PLACE=WAY, as in ${open[0]?.place ?? ''}=${word}`,
  })
}

interface OpenDecision {
  /** Where it stands: the path of a frame on the stack. */
  readonly place: string
  /** What it is called: so, behind the name of the run's program, or as its own program calls it in messages. */
  readonly names: readonly string[]
  readonly decide: (word: string) => DecisionInput
}

/** Effects in flight whose kind says that they decide something. */
function decisionsOf({ state, definitions }: ForkSource): OpenDecision[] {
  return [...state.pendingEffects()].flatMap((effect): OpenDecision[] => {
    const { frame, id } = effect
    const { kind, def } = definitions.program(frame.pin)
    const decider = definitions.kind(kind)
    if (effect.isQuestioned || !isDecision(decider, def, effect)) return []
    const place = framePath(frame, definitions)
    const decide = (word: string): DecisionInput => {
      const made = decider.decide?.(def, effect, word, FORK_ACTOR)
      if (made === undefined) throw kernelFaults.make('R2063', `${place} decides nothing`, { path: place })
      return { frame, input: ['ok', id, made.value], ref: id, place, chose: made.chose }
    }
    return [{ place, names: namesOf(frame, place, definitions), decide }]
  })
}

/** An effect of a decision that began with calls of tools is no decision, though its frame is. No edge has an empty name. */
function isDecision(kind: Kind, def: unknown, effect: PendingEffect): boolean {
  try {
    return kind.decide?.(def, effect, '', FORK_ACTOR) !== undefined
  } catch (thrown) {
    if (isFault(thrown)) return true
    throw thrown
  }
}

/** Questions of the program that are open. */
function questionsIn({ run, state, definitions }: ForkSource): OpenDecision[] {
  return questionsOf(run, summary(state, definitions, 'suspended').waits).flatMap((open): OpenDecision[] => {
    const wait = [...state.waits.values()].find(({ id }) => String(id) === open.wait)
    // What nobody knows is for people to say; whether an effect may begin is not.
    if (wait === undefined || wait.asker === 'outcome' || open.fault !== undefined) return []
    const { frame, id } = wait
    const decide = (word: string): DecisionInput => {
      const value = checkAnswer(open, word)
      const chose = typeof value === 'string' ? value : JSON.stringify(value)
      return { frame, input: ['answer', id, value, FORK_ACTOR], ref: id, place: open.path, chose }
    }
    return [{ place: open.path, names: namesOf(frame, open.path, definitions), decide }]
  })
}

function namesOf(frame: Frame, place: string, definitions: ForkSource['definitions']): readonly string[] {
  const { def, kind, name } = definitions.program(frame.pin)
  const root = definitions.program(0)
  const within = definitions.kind(kind).node?.(def, frame.position) ?? ''
  return [...new Set([place, `${idOf(root)}/${place}`, `${idOf({ kind, name })}/${within}`])]
}

function idOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return name.slice(kind.length + 1)
}

/** The nearest records before and after one at which something is to be decided. */
export function decidableRecords(
  records: readonly Rec[],
  at: number,
  definitionsOf: (state: State) => ForkSource['definitions'],
): number[] {
  const state = new State()
  const definitions = definitionsOf(state)
  let before: number | undefined
  for (const record of records) {
    state.apply(record)
    if (state.ended !== undefined) break
    const standing = { run: '', record: state.n, state, definitions }
    if (state.n === at || (decisionsOf(standing).length === 0 && questionsIn(standing).length === 0)) continue
    if (state.n > at) return [...(before === undefined ? [] : [before]), state.n]
    before = state.n
  }
  return before === undefined ? [] : [before]
}

/** What the source decided in the place of a fork, as its trace tells it. */
export function sourceDecision(
  { ref, place }: DecisionInput,
  records: readonly Rec[],
  at: number,
  definitionsFor: (state: State) => RunPrograms,
): ForkDecision['was'] {
  const found = records.findIndex(({ input }, i) => i >= at && (input?.[0] === 'ok' || input?.[0] === 'answer') && input[1] === ref)
  if (found < 0) return undefined
  const lines = linesOfHistory({ records }, definitionsFor).filter(({ event }) => ['decide', 'done', 'answer'].includes(event.mark))
  // A decision that called tools first was made by a later effect of the same node.
  const line = lines.find(({ n }) => n === found + 1) ?? lines.find((next) => next.n > found + 1 && next.place === place)
  if (line === undefined) return undefined
  const { facts = {}, text = '' } = line.event
  const chose = edgeOf(line.event) ?? text
  return { chose, ...(typeof facts.by === 'string' ? { by: facts.by } : {}) }
}
