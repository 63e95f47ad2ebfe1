import type { Comparison, ComparedRun } from '../history/comparing.ts'
import type { EffectView, PlaceUsage } from '../history/effects.ts'
import type { ImportedRun } from '../history/archive/import.ts'
import type { TracedRun } from '../history/trace-of.ts'
import { hidesContents, isObject, type JsonObject, type Segment, type State } from '../kernel/index.ts'
import type { RunView, StackStep } from '../runs/view.ts'
import type { ForkedRun } from '../app/forking.ts'
import { lineDocument, questionDocument, programDocument, runDocument } from './documents.ts'
import { plainJson, programName, utc } from './plain.ts'

/** Returns the state of a run after one of its records. */
export function showDocument(
  { row, at, time, stack, branches, picture, failures, choices, board, waiting, questions, inbox, segments, replayable }: RunView,
  gone: boolean,
): JsonObject {
  const steps = (one: readonly StackStep[]): object[] => one.map((step) => ({ ...step, program: programName(step.program) }))
  return plainJson({
    v: 1,
    run: runDocument(row, gone),
    record: at,
    time: utc(time),
    replayable,
    segments: segmentDocuments(segments),
    stack: steps(stack),
    ...(branches.length === 0 ? {} : { branches: branches.map(steps) }),
    ...(picture.length === 0 ? {} : { nodes: picture.map(({ path, depth, mark, text, ms }) => ({ path, depth, mark, text, ms })) }),
    ...(failures.length === 0 ? {} : { failures: failures.map(({ at: when, ...failure }) => ({ ...failure, time: utc(when) })) }),
    choices,
    board,
    ...(waiting.length === 0 ? {} : { waiting }),
    questions: questions.map(questionDocument),
    inbox: inbox.map(({ type, to, body, by, reason, at, fault }) => ({
      type,
      to,
      value: body,
      by,
      reason,
      time: utc(at),
      damaged: fault?.message,
    })),
  })
}

/** Returns the state of a stored run as `resultDocument` returns that of a run of this process. */
export function storedResultDocument({ row, questions }: RunView): JsonObject {
  const { error, value, trace, program, status, records, started, updated } = runDocument(row, false)
  const result = error === undefined ? { value } : { error }
  return plainJson({
    v: 1,
    run: row.id,
    trace,
    program,
    status,
    records,
    started,
    updated,
    ...result,
    questions: questions.map(questionDocument),
  })
}

interface SegmentDocument extends Pick<Segment, 'number' | 'first' | 'last' | 'archive'> {
  readonly place: Segment['place'] | 'open'
}

/** Returns the segments of a run as documents; undefined for a run that was never sealed. */
export function segmentDocuments(segments: readonly Segment[]): readonly SegmentDocument[] | undefined {
  if (!isSealed(segments)) return undefined
  return segments.map(({ number, first, last, sealed, place, archive }) => ({
    number,
    first,
    last,
    place: sealed ? place : 'open',
    ...(archive === undefined ? {} : { archive }),
  }))
}

/** True for a run that was sealed at least once. */
export function isSealed(segments: readonly Segment[]): boolean {
  return segments.some(({ sealed }) => sealed)
}

/** Returns the story of a run, or of a part of it. */
export function traceDocument(traced: TracedRun, gone: boolean): JsonObject {
  const { row, lines, state } = traced
  return plainJson({
    v: 1,
    run: runDocument(row, gone),
    ...startOf(state),
    ...(hidesContents(state) ? { replayable: 'decisions' } : {}),
    ...partDocument(traced),
    lines: lines.map(lineDocument),
  })
}

/** Returns who started a run, and its input. */
export function startOf({ start }: State): { readonly by: string | undefined; readonly input: JsonObject | undefined } {
  const by = isObject(start?.by) && typeof start.by.actor === 'string' ? start.by.actor : undefined
  return { by, input: isObject(start?.args) ? start.args : undefined }
}

/** Returns the first record of a trace that does not begin with the first one, and the archive with the records that the store no longer has. */
function partDocument({ first, gone }: TracedRun): object {
  return { ...(first === 1 ? {} : { from: first }), ...(gone === undefined ? {} : { gone }) }
}

/** Returns the differences between two runs. */
export function diffDocument({ one, other, equal, differences }: Comparison): JsonObject {
  const side = ({ run, at, last, status }: ComparedRun): object => ({ run, record: at, records: last, status })
  return plainJson({
    v: 1,
    one: side(one),
    other: side(other),
    equal,
    differences: differences.map(({ at, ...part }) => ({ ...part, records: at })),
  })
}

/** Returns a fork that performs nothing yet. */
export function forkDocument({ id, ...forked }: ForkedRun): JsonObject {
  return plainJson({ v: 1, run: id, status: 'suspended', ...forked })
}

/** Returns a run that was imported. */
export function importDocument({ row, signature, messages, first, earlier, isPart }: ImportedRun): JsonObject {
  return plainJson({
    v: 1,
    run: row.id,
    program: programDocument(row.program),
    status: row.status,
    records: row.last,
    ...(first === 1 ? {} : { from: first }),
    earlier,
    ...(isPart ? { part: true } : {}),
    signature,
    messages,
  })
}

/** Returns the effects of a run. `next` is the first record of the next page. */
export function effectsDocument(
  run: string,
  { effects, next }: { readonly effects: readonly EffectView[]; readonly next?: number },
): JsonObject {
  return plainJson({
    v: 1,
    effects: effects.map(({ id, record, program, requested, settled, outcome, value, used, key, ...effect }) => ({
      effect: id,
      address: `${run}@${record}`,
      key: key ?? `${run}:${id}`,
      program: programName(program),
      ...effect,
      requested: utc(requested),
      outcome,
      ...(settled === undefined ? {} : { settled: utc(settled.time), settledBy: `${run}@${settled.record}`, ms: settled.time - requested }),
      ...(outcome === 'failed' ? { error: value } : { value }),
      used,
    })),
    next,
  })
}

/** Returns the meter of a run, and the usage of its places. */
export function costDocument(run: string, { meter, n }: State, places: readonly PlaceUsage[]): JsonObject {
  return plainJson({
    v: 1,
    run,
    record: n,
    used: meter.run,
    own: meter.own,
    limits: meter.limits,
    reached: meter.reached,
    places: places.map(({ program, path, used }) => ({ program: programName(program), path, ...used })),
  })
}
