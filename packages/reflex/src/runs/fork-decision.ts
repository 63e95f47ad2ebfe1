import { questionsOf } from './handle.ts'
import { linesOfPart } from '../history/trace.ts'
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
  readPart,
  readRecords,
  type Ref,
  segmentStart,
  type State,
  type Store,
  summary,
} from '../kernel/index.ts'
import { checkAnswer } from './runtime-questions.ts'
import type { KindView } from '../programs/kind-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** A run where its fork begins, with the views of its programs. */
export interface DecisionSource extends Pick<ForkSource, 'run' | 'record' | 'state'> {
  readonly definitions: ViewedPrograms
}

/** A decision for a fork, and the decision of the source run at the same place. */
export interface ForkDecision {
  readonly place: string
  readonly chose: string
  /** The decision of the source and its author. Absent if the source has not decided there. */
  readonly was?: { readonly chose: string; readonly by?: string }
}

/** The author of decisions of a fork, for its journal. */
const FORK_ACTOR = 'the fork'

/** An input that answers a decision or a question, with its place and choice in words. */
export interface DecisionInput {
  readonly frame: Frame
  readonly input: Input
  readonly ref: Ref
  readonly place: string
  readonly chose: string
}

/**
 * Returns the input for a word given to `--decide`: it answers a decision in flight or an open question after a record. Returns
 * `R2063` if nothing is to be decided there. Throws `R2063` if several things are, and `R2064`, `R4200` and `R4201` for a word
 * that is not allowed.
 */
export function decisionInput(source: DecisionSource, word: string): DecisionInput | Fault {
  const open = [...decisionsOf(source), ...questionsIn(source)]
  const named = open.flatMap(({ names, decide }) => names.filter((name) => word.startsWith(`${name}=`)).map((name) => ({ name, decide })))
  const [single] = named
  const places = open.map(({ place }) => place).join(', ')
  if (single !== undefined && named.length === 1) return single.decide(word.slice(single.name.length + 1))
  const { run, record: at } = source
  if (open.length === 0) return nothingToDecide(source, word, [])
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
  throw kernelFaults.make('R2063', `there are ${open.length} things to decide after record ${at} of ${run}: ${places}`, {
    run,
    fix: `name one of them: --decide PLACE=EDGE, as in ${open[0]?.place ?? ''}=${word}`,
  })
}

/** Makes `R2063` with the nearest records at which something can be decided. */
export function nothingToDecide({ run, record: at }: Pick<DecisionSource, 'run' | 'record'>, word: string, near: readonly number[]): Fault {
  return kernelFaults.make('R2063', `there is nothing to decide after record ${at} of ${run}`, {
    run,
    ...(near.length === 0
      ? {}
      : { fix: `reflex fork ${run}@${near.at(-1) ?? at} --decide ${/\s/.test(word) ? JSON.stringify(word) : word}`, data: { near } }),
  })
}

interface OpenDecision {
  /** The path of its frame or question. */
  readonly place: string
  /** The accepted names of the place: its path, the path after the id of the run's program, and the id of its own program with its node. */
  readonly names: readonly string[]
  readonly decide: (word: string) => DecisionInput
}

/** Returns the effects in flight whose kinds can decide them. */
function decisionsOf({ state, definitions }: DecisionSource): OpenDecision[] {
  return [...state.pendingEffects()].flatMap((effect): OpenDecision[] => {
    const { frame, id } = effect
    const { kind, def } = definitions.program(frame.pin)
    const decider = definitions.view(kind)
    if (effect.isQuestioned || !isDecision(decider, def, effect)) return []
    const place = framePath(frame, definitions)
    const decide = (word: string): DecisionInput => {
      const made = decider.decide?.(def, effect, word, FORK_ACTOR)
      if (made === undefined) throw kernelFaults.make('R2063', `${place} has no decision to make`, { path: place })
      return { frame, input: ['ok', id, made.value], ref: id, place, chose: made.chose }
    }
    return [{ place, names: namesOf(frame, place, definitions), decide }]
  })
}

/**
 * True if the effect is a decision. A call of a tool that prepares a decision is not one, though its frame stands at a decision.
 * The kind is asked with an empty name, which no edge has.
 */
function isDecision(view: KindView, def: unknown, effect: PendingEffect): boolean {
  try {
    return view.decide?.(def, effect, '', FORK_ACTOR) !== undefined
  } catch (thrown) {
    if (isFault(thrown)) return true
    throw thrown
  }
}

/** Returns the open questions of programs. */
function questionsIn({ run, state, definitions }: DecisionSource): OpenDecision[] {
  return questionsOf(run, summary(state, definitions, 'suspended').waits).flatMap((open): OpenDecision[] => {
    const wait = [...state.waits.values()].find(({ id }) => String(id) === open.wait)
    // A fork cannot answer questions about an unknown outcome, nor a failure that asks to be retried.
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

function namesOf(frame: Frame, place: string, definitions: ViewedPrograms): readonly string[] {
  const { def, kind, name } = definitions.program(frame.pin)
  const root = definitions.program(0)
  const within = definitions.kind(kind).node?.(def, frame.position) ?? ''
  return [...new Set([place, `${idOf(root)}/${place}`, `${idOf({ kind, name })}/${within}`])]
}

function idOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return name.slice(kind.length + 1)
}

/**
 * Returns the nearest record before `at` and the nearest after it at which something can be decided. Of a sealed run, it looks from the
 * beginning of the segment on.
 */
export async function decidableRecords(
  store: Store,
  { run, record: at }: Pick<DecisionSource, 'run' | 'record'>,
  definitionsOf: (state: State) => ViewedPrograms,
): Promise<number[]> {
  const part = await readPart(store, run, await segmentStart(store, run, at))
  const state = part.opening()
  const definitions = definitionsOf(state)
  let before: number | undefined
  for await (const [n, record] of part.records()) {
    state.apply(record)
    state.droppedEffects.length = 0
    if (state.ended !== undefined) break
    const standing = { run: '', record: n, state, definitions }
    if (n === at || (decisionsOf(standing).length === 0 && questionsIn(standing).length === 0)) continue
    if (n > at) return [...(before === undefined ? [] : [before]), n]
    before = n
  }
  return before === undefined ? [] : [before]
}

/** Returns the decision of the source at the place of a fork after record `at`, in the words of its trace. */
export async function sourceDecision(
  store: Store,
  { run, record: at }: Pick<DecisionSource, 'run' | 'record'>,
  { ref, place }: DecisionInput,
  definitionsFor: (state: State) => ViewedPrograms,
): Promise<ForkDecision['was']> {
  const settled = await settlingRecord(store, run, at, ref)
  if (settled === undefined) return undefined
  for await (const line of linesOfPart(await readPart(store, run, settled), definitionsFor)) {
    if (line.n < settled || !['decide', 'done', 'answer'].includes(line.event.mark)) continue
    // If the decision called tools first, a later effect of the same node made it.
    if (line.n > settled && line.place !== place) continue
    const { facts = {}, text = '' } = line.event
    const chose = edgeOf(line.event) ?? text
    return { chose, ...(typeof facts.by === 'string' ? { by: facts.by } : {}) }
  }
  return undefined
}

async function settlingRecord(store: Store, run: string, at: number, ref: Ref): Promise<number | undefined> {
  for await (const [n, { input }] of readRecords(store, run, at + 1))
    if ((input?.[0] === 'ok' || input?.[0] === 'answer') && input[1] === ref) return n
  return undefined
}
