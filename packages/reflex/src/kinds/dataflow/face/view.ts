import { isObject, type Json } from '../../../kernel/index.ts'
import type { KindResult, KindView } from '../../../programs/kind-view.ts'
import { toGraph } from '../graph/drawing.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { type GraphPosition, readPosition } from '../run/position.ts'
import { graphInside } from './inside.ts'
import { graphSignature } from './inputs.ts'
import { graphStory } from './story.ts'

/** The display of graphs and their runs. */
export const dataflowView: KindView<CompiledGraph> = {
  graph: ({ graph }) => toGraph(graph),
  signature: graphSignature,
  headline: ({ graph, adapter }) => [
    `dataflow ${graph.version}`,
    `${count(graph.nodes.length)} nodes`,
    ...(adapter === undefined ? [] : [`adapter ${adapter.adapter.id}@${adapter.adapter.version}`]),
  ],
  story: (change) => graphStory(change),
  inside: graphInside,
  soFar: (_, { position }) => soFar(readPosition(position)),
  result,
}

/** The value of a graph that took events: what became of them; of one that was called: its outputs. */
function result(_: CompiledGraph, value: Json): KindResult {
  if (!isObject(value) || typeof value.events !== 'number' || !isObject(value.sent)) return { value }
  const { events, refused, failed, sent } = value
  const of = refused === 0 ? count(events) : `${count(events)} of ${count(events + Number(refused ?? 0))}`
  const parts = [
    `${of} events`,
    ...(failed === 0 ? [] : [`${count(Number(failed))} failed`]),
    ...Object.entries(sent).map(([kind, times]) => `${count(Number(times))} ${kind}`),
  ]
  return { value, how: parts.join(', '), isTold: true }
}

/** Returns the events that a graph has taken, what became of them, and what waits. */
function soFar({ taken, refused, failed, deferred, pending }: GraphPosition): string[] {
  const parts: [number, string][] = [
    [refused, 'refused'],
    [failed, 'failed'],
    [deferred, 'deferred'],
    [pending.length, 'to be acknowledged'],
  ]
  const more = parts.flatMap(([number, word]) => (number === 0 ? [] : [`${count(number)} ${word}`]))
  return [[`${count(taken)} ${taken === 1 ? 'event' : 'events'}`, ...more].join(', ')]
}

function count(number: number): string {
  return number.toLocaleString('en')
}
