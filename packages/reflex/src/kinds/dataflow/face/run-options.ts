import type { RunOptionTable } from '../../../programs/run-options.ts'

const noGraph = (kind: string): string => `a ${kind} takes no events as a graph does`

/** The options of runs of graphs. */
export const DATAFLOW_RUN_OPTIONS = {
  source: {
    flag: '--source',
    type: 'file',
    does: 'the file of events that a graph reads itself, also after a crash; run --events FILE stands for it',
    root: true,
    ignored: noGraph,
    keep: 'events',
  },
  adapter: {
    flag: '--adapter',
    type: 'file',
    does: 'the contract of a graph with the world around it; default: NAME.adapter.json beside it',
    root: true,
    ignored: (kind) => `a ${kind} has no adapter`,
    companion: 'adapter',
    alsoOf: ['validate', 'test', 'diff', 'replay', 'import'],
  },
  host: {
    flag: '--host',
    type: 'file',
    does: 'the channels, routes and limits of a graph; default: NAME.host.json beside it',
    root: true,
    ignored: noGraph,
    alsoOf: ['test', 'diff'],
  },
  stays: {
    flag: '--stays',
    type: 'flag',
    does: 'keep a graph open for events of other processes; the event null ends it',
    root: true,
    ignored: noGraph,
  },
  contextFrom: {
    flag: '--context-from',
    type: 'file',
    does: 'a JSON file of keys and values with which the context of a graph begins',
    root: true,
    ignored: noGraph,
  },
} as const satisfies RunOptionTable
