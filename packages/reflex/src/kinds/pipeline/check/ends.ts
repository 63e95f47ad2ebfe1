import { quote, quoteAll } from '../../../text/index.ts'
import type { LintRule } from './finding.ts'

/** Checks that the pipeline has one start (reference pipeline 2.6, 13). */
export const startNode: LintRule = {
  name: 'start_node',
  code: 'R1120',
  *apply({ starts }) {
    const [first] = starts
    if (first === undefined) {
      yield { message: 'the pipeline has no start', fix: 'write start [shape=Mdiamond]' }
      return
    }
    for (const node of starts.slice(1)) {
      yield { message: `${quote(node)} is a second start`, node, note: `the first is ${quote(first)}`, fix: 'keep one start' }
    }
  },
}

/** Checks that the pipeline has an exit. */
export const terminalNode: LintRule = {
  name: 'terminal_node',
  code: 'R1121',
  *apply({ exits }) {
    if (exits.length === 0) yield { message: 'the pipeline has no exit', fix: 'write done [shape=Msquare]' }
  },
}

/** Reports all exits after the first in one finding (reference pipeline 2.6, 14). */
export const multipleExits: LintRule = {
  name: 'multiple_exits',
  code: 'R1122',
  *apply({ exits, nodes }) {
    if (exits.length < 2) return
    const known = new Set(exits)
    const inOrder = [...nodes.keys()].filter((node) => known.has(node))
    const [, second] = inOrder
    if (second === undefined) return
    yield { message: `the pipeline has ${exits.length} exits: ${quoteAll(inOrder)}`, node: second, note: 'the second exit' }
  },
}

export const startNoIncoming: LintRule = {
  name: 'start_no_incoming',
  code: 'R1123',
  *apply({ starts, incoming, outgoing }) {
    for (const node of starts) {
      const [next] = outgoing.get(node) ?? []
      for (const edge of incoming.get(node) ?? []) {
        yield {
          message: `an edge leads from ${quote(edge.edge.from)} back to the start ${quote(node)}`,
          edge,
          ...(next === undefined || next.edge.to === node ? {} : { fix: `lead it to ${quote(next.edge.to)}` }),
        }
      }
    }
  },
}

export const exitNoOutgoing: LintRule = {
  name: 'exit_no_outgoing',
  code: 'R1124',
  *apply({ exits, outgoing }) {
    for (const node of exits) {
      for (const edge of outgoing.get(node) ?? []) {
        yield { message: `an edge leads from the exit ${quote(node)} to ${quote(edge.edge.to)}`, edge }
      }
    }
  },
}
