import { faults } from '../runs/faults.ts'
import { isModule } from '../programs/kinds.ts'
import {
  type Difference,
  type DifferingPart,
  differingParts,
  dumpState,
  type Fault,
  type FaultDetails,
  type Frame,
  framePath,
  loadState,
  type Program,
  type Rec,
  type State,
} from '../kernel/index.ts'
import type { EdgeState } from '../programs/kind-view.ts'
import { readText } from '../programs/read-text.ts'
import type { Language } from '../programs/language.ts'
import type { ViewedDefinitions } from '../programs/kinds.ts'
import { edgeOf, partsText, partDifference, storyText } from '../history/record-text.ts'
import { pathText } from '../text/index.ts'
import { linesOf, type StoryLine } from '../history/trace.ts'

/** A side of a differing record. */
export interface ReplaySide {
  /** The content of the record in words: `decide → full`, or `not possible`. */
  readonly says: string
  /** False if the edge that was taken is not open in the current program. */
  readonly possible: boolean
  /** The open edges, if the record is about an edge. */
  readonly open: readonly string[] | undefined
}

/** The first record that differs, with both sides. */
export interface ReplayDifference {
  readonly record: number
  /** The node path of the frame that was stepped, outermost first. */
  readonly path: string
  readonly parts: readonly DifferingPart[]
  /** The path inside the first part: `order.total`. Empty: the whole part. */
  readonly at: string
  readonly recorded: ReplaySide
  readonly decided: ReplaySide
  /** `R5041`: the place in the program, with the values that its guard read. */
  readonly fault: Fault
}

/** The position of a replay: the state before the record, the recorded definitions, and the current ones. */
interface ReplayPosition {
  readonly state: State
  readonly frame: Frame
  readonly pinned: ViewedDefinitions
  readonly now: ViewedDefinitions
  readonly language: (kind: string) => Language | undefined
}

/** Returns the files of programs. */
export interface ProgramFiles {
  fileOf(program: Program): string | undefined
}

/** Describes a record that is decided differently, with the replay still before that record. */
export function describeDifference(
  run: string,
  { state, now, pinned, language }: Omit<ReplayPosition, 'frame'>,
  difference: Difference,
  files: ProgramFiles | undefined,
): ReplayDifference {
  const frame = state.frame(difference.recorded.frame)
  const position = { state, frame, pinned, now, language }
  const parts = differingParts(difference)
  const recorded = linesAfter(position, difference.recorded, pinned)
  const decided = linesAfter(position, difference.decided, now)
  const edges = edgeChange(position, recorded)
  const [first] = parts
  const place = first === undefined ? undefined : partDifference(first)
  const at = place === undefined ? '' : pathText(place.path.slice(1))
  const [story, another] = [storyText(recorded), storyText(decided)]
  // If both sides have the same story, the differing part is described itself. The open edges of each side are given
  // separately.
  const isStoryDifferent =
    story !== another || (first?.part === 'note' && edges !== undefined && String(edges.before) !== String(edges.now))
  const words = (text: string, value = ''): string => (isStoryDifferent && text !== '' ? text : `${partsText(parts.slice(0, 1))}: ${value}`)
  const message = `${run}: record ${difference.record} differs in ${partsText(parts)}`
  const shut = edges?.closedEdge !== undefined && first?.part !== 'note'
  return {
    record: difference.record,
    path: framePath(frame, pinned),
    parts,
    at,
    recorded: { says: words(story, place?.one), possible: true, open: edges?.before },
    decided: { says: shut ? 'not possible' : words(another, place?.other), possible: !shut, open: edges?.now },
    fault: faults.make('R5041', message, { run, ...placeOf(position, edges?.target, files), data: { record: difference.record } }),
  }
}

/** Returns the story of a record, applied to a copy of the state: the replay may continue from the state itself. */
function linesAfter({ state }: ReplayPosition, record: Rec, definitions: ViewedDefinitions): readonly StoryLine[] {
  try {
    const after = loadState(dumpState(state, () => true))
    const frame = after.frame(record.frame)
    const before = frame.position
    after.apply(record)
    const { def } = definitions.program(frame.pin)
    return linesOf({ n: after.n, at: after.time, record, state: after, frame, def, before }, definitions)
  } catch {
    // A record that cannot be applied has no story; its parts describe it.
    return []
  }
}

interface EdgeChange {
  readonly before: readonly string[]
  readonly now: readonly string[]
  /** The edge that was taken, if it is not open in the current programs. */
  readonly closedEdge: string | undefined
  readonly target: { readonly edge?: string; readonly note?: string } | undefined
}

/** Returns the edges of a node on both sides, if the record took one of them. */
function edgeChange({ frame, pinned, now }: ReplayPosition, recorded: readonly StoryLine[]): EdgeChange | undefined {
  const decision = recorded.find(({ event }) => event.mark === 'decide' || event.mark === 'done')
  const [before, after] = [edgesOf(pinned, frame), edgesOf(now, frame)]
  if (decision === undefined || (before.length === 0 && after.length === 0)) return undefined
  const taken = edgeOf(decision.event) ?? (before.length === 1 ? before[0]?.id : undefined)
  const same = after.find(({ id }) => id === taken)
  const closedEdge = taken !== undefined && same?.open !== true ? taken : undefined
  const other = after.find(({ id, open }) => before.find((choice) => choice.id === id)?.open !== open)
  const why = closedEdge === undefined ? other : same
  return {
    before: before.filter(({ open }) => open).map(({ id }) => id),
    now: after.filter(({ open }) => open).map(({ id }) => id),
    closedEdge,
    target: why === undefined ? undefined : { edge: why.id, ...(why.why === undefined ? {} : { note: why.why }) },
  }
}

function edgesOf(definitions: ViewedDefinitions, frame: Frame): readonly EdgeState[] {
  const { def, kind } = definitions.program(frame.pin)
  return definitions.view(kind).edges?.(def, frame) ?? []
}

/** Returns the place in the current program: with file, line and column if a file contains it. */
function placeOf(
  { frame, now, language: languageOf }: ReplayPosition,
  target: EdgeChange['target'],
  files: ProgramFiles | undefined,
): FaultDetails {
  const program = now.program(frame.pin)
  const { def, kind, name, source } = program
  const language = languageOf(kind)
  const node = now.kind(kind).node?.(def, frame.position)
  if (language?.locate === undefined) return { path: node === undefined ? name : `${name}/${node}` }
  const file = files?.fileOf(program)
  if (file !== undefined && !isModule(file)) return language.locate(readText(file), file, { ...target, node }, target?.note)
  const { path } = language.locate(JSON.stringify(source), undefined, { ...target, node })
  return path === undefined ? { path: name } : { path: `${name}: ${path}` }
}
