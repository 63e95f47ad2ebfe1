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

/** One of the two records. */
export interface ReplaySide {
  /** What it says, in words: `decide → full`, or `not possible`. */
  readonly says: string
  /** False where the way that was taken is not open to the program that decides now. */
  readonly possible: boolean
  /** The ways that were open, where the record is about a way taken. */
  readonly open: readonly string[] | undefined
}

/** The first record that differs, with both of its sides. */
export interface ReplayDifference {
  readonly record: number
  /** The node path of the frame that was stepped, outermost first. */
  readonly path: string
  readonly parts: readonly DifferingPart[]
  /** Where in the first of the parts: `order.total`. Empty: all of it. */
  readonly at: string
  readonly recorded: ReplaySide
  readonly decided: ReplaySide
  /** `R5041`: the place in the program, with what its guard saw. */
  readonly fault: Fault
}

/** What a replay has come to: the state before the record, who decided then, and who decides now. */
interface ReplayPosition {
  readonly state: State
  readonly frame: Frame
  readonly pinned: ViewedDefinitions
  readonly now: ViewedDefinitions
  readonly language: (kind: string) => Language | undefined
}

/** Knows the files of programs. */
export interface ProgramFiles {
  fileOf(program: Program): string | undefined
}

/** Tells a record that is decided differently, while the replay still stands before it. */
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
  // Where both tell the same story, what differs is told by itself; ways that are open stand beside it.
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

/** The story of a record, applied to a copy of the state: a replay may still go on from the state itself. */
function linesAfter({ state }: ReplayPosition, record: Rec, definitions: ViewedDefinitions): readonly StoryLine[] {
  try {
    const after = loadState(dumpState(state, () => true))
    const frame = after.frame(record.frame)
    const before = frame.position
    after.apply(record)
    const { def } = definitions.program(frame.pin)
    return linesOf({ n: after.n, at: after.time, record, state: after, frame, def, before }, definitions)
  } catch {
    // A record that cannot even be applied has no story; its parts tell what it says.
    return []
  }
}

interface EdgeChange {
  readonly before: readonly string[]
  readonly now: readonly string[]
  /** The way that was taken, if it is not open to the programs that decide now. */
  readonly closedEdge: string | undefined
  readonly target: { readonly edge?: string; readonly note?: string } | undefined
}

/** The ways on from a node, if the record took one of them. */
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

/** The place in the program that decides now: with file, line and column where one of the files still holds it. */
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
