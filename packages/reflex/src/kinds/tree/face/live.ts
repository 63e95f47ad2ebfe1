import { isList, type Json } from '../../../kernel/index.ts'
import type { LiveRuns } from '../../../programs/live-runs.ts'
import { systemFileWatcher } from '../reload/file-watcher.ts'
import { Reloader } from '../reload/reloader.ts'
import { SaveWatch } from '../reload/save-watch.ts'
import { PAUSED_AT } from '../tick/debug-words.ts'
import { CLOSE_TOPIC, EVENT_TOPIC } from '../tick/topics.ts'
import { OPEN_AT } from '../tick/tree-state.ts'
import { treeNames } from './names.ts'

/** Trees that are watched while they work. */
export const liveTrees: LiveRuns = {
  options: { stays: true },
  topics: { event: EVENT_TOPIC, close: CLOSE_TOPIC },
  keys: [
    { key: 'space', about: 'tick', command: 'tick' },
    { key: 's', about: 'one node', command: 'step' },
    { key: 'b', about: 'break', command: 'break', asks: 'break before' },
    { key: 'p', about: 'pause', command: 'pause' },
  ],
  command({ command }, text, { state }) {
    if (command === 'pause' && isPaused(state.root.position)) return 'resume'
    return text === '' ? command : `${command} ${text}`
  },
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

function isPaused(position: Json | undefined): boolean {
  const open = isList(position) ? position[OPEN_AT] : undefined
  return isList(open) && open[1] === PAUSED_AT
}
