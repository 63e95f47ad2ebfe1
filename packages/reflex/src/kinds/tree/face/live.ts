import { isList, type Json, type State } from '../../../kernel/index.ts'
import type { LiveRuns } from '../../../programs/live-runs.ts'
import { shortJson } from '../../../text/index.ts'
import { systemFileWatcher } from '../reload/file-watcher.ts'
import { Reloader } from '../reload/reloader.ts'
import { SaveWatch } from '../reload/save-watch.ts'
import { PAUSED_AT } from '../tick/debug-words.ts'
import { DEBUG_TOPIC } from '../tick/debug-state.ts'
import { CLOSE_TOPIC, EVENT_TOPIC } from '../tick/topics.ts'
import { executionIn } from '../tick/node-states.ts'
import { pendingReload, RELOAD_POLICIES } from '../tick/reload-request.ts'
import { EVENT_KEY } from '../tick/ticking.ts'
import { OPEN_AT, STATUS_AT, TICKS_AT } from '../tick/tree-state.ts'
import { treeNames } from './names.ts'

/** Trees that are watched while they work. */
export const liveTrees: LiveRuns = {
  options: { stays: true },
  topics: { event: EVENT_TOPIC, close: CLOSE_TOPIC, debug: DEBUG_TOPIC },
  mostEvents: 1000,
  keys: [
    { key: 'space', about: 'tick', command: 'tick' },
    { key: 's', about: 'one node', command: 'step' },
    { key: 'b', about: 'break', command: 'break', asks: 'break before' },
    { key: 'p', about: 'pause', command: 'pause' },
    { key: 'r', about: 'reload now', command: 'reload' },
  ],
  command({ command }, text, { state }) {
    if (command === 'reload') return reloadNow(state)
    if (command === 'pause' && isPaused(state.root.position)) return 'resume'
    return text === '' ? command : `${command} ${text}`
  },
  about: ({ state }) => aboutTree(state),
  watch(folder, host, onSaved) {
    const watch = new SaveWatch({ folder, watcher: systemFileWatcher, host, endings: treeNames.endings, onSaved })
    watch.start()
    return () => watch.stop()
  },
  reloads(run, programs, read) {
    const reloader = new Reloader({ run, programs, read, policy: 'let_finish_then_swap' })
    return (file) => reloader.saved(file)
  },
}

/** A version that waits for the end of the execution replaces the tree at once. */
function reloadNow({ root }: State): Json | undefined {
  const waits = pendingReload(root.reader())
  if (waits === undefined || waits.restarts === true) return undefined
  const { hash, trees, file } = waits
  return { do: 'reload', reload: { hash, trees, policy: RELOAD_POLICIES[1], ...(file === undefined ? {} : { file }) } }
}

const STATES = ['idle', 'running', 'yielded', 'succeeded', 'failed'] as const
/** The most characters of an event. */
const MOST = 40

/** Returns the status of a tree, its execution and tick, its event, and whether another version waits. */
function aboutTree({ root }: State): string {
  const { position } = root
  const reader = root.reader()
  const event = reader.get(EVENT_KEY)
  const parts = [
    isPaused(position) ? 'paused' : (STATES[isList(position) ? Number(position[STATUS_AT]) : 0] ?? 'idle'),
    `execution ${executionIn(position)?.number ?? 0}`,
    `tick ${isList(position) ? Number(position[TICKS_AT]) : 0}`,
    ...(event === undefined ? [] : [`event ${shortJson(event, MOST)}`]),
    ...(pendingReload(reader) === undefined ? [] : ['another version waits']),
  ]
  return parts.join(' · ')
}

function isPaused(position: Json | undefined): boolean {
  const open = isList(position) ? position[OPEN_AT] : undefined
  return isList(open) && open[1] === PAUSED_AT
}
