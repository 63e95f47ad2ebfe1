import { parse as parseAst } from '@ts-graphviz/ast'
import { parse as parseModel } from '@ts-graphviz/parser'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import dotparser from 'dotparser'

/** A peer: one round is one parse; gives the milliseconds. */
export interface DotPeer {
  readonly name: string
  readonly aim: string
  parse(text: string): number
}

const UNLIMITED = { maxInputSize: 0, maxASTNodes: 0 }

function timed(work: () => unknown): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

/**
 * The parsers of DOT that others use. Graphviz does the least that parses: it reads a text into its graph and lays nothing out;
 * that the graph is given back is not on its account.
 */
export async function dotPeers(): Promise<readonly DotPeer[]> {
  const graphviz = await Graphviz.load()
  return [
    { name: 'dotparser 1.1', aim: 'aim 10, the better of two', parse: (text) => timed(() => dotparser(text)) },
    { name: '@ts-graphviz/parser 0.6', aim: 'aim 10, the better of two', parse: (text) => timed(() => parseModel(text)) },
    { name: '@ts-graphviz/ast 3', aim: 'its successor', parse: (text) => timed(() => parseAst(text, UNLIMITED)) },
    {
      name: 'Graphviz in wasm, read alone',
      aim: 'aim 2.5',
      parse(text) {
        const from = performance.now()
        const graph = graphviz.read(text)
        const ms = performance.now() - from
        graph.delete()
        return ms
      },
    },
  ]
}
