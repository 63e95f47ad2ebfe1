import type { JsonObject } from '../kernel/index.ts'
import type { KindView } from '../programs/kind-view.ts'
import type { TraceWorld } from '../history/trace-of.ts'
import { counted, plainJson } from '../protocol/plain.ts'
import { readPartAddress } from '../runs/address.ts'
import { faults } from '../runs/faults.ts'
import { findRecord } from '../runs/find-run.ts'
import { layerSpan, MOST_LAYER_SPAN, MOST_NODES } from './layout.ts'
import { type Drawing, graphOf, type Picture, pictureOf } from './picture.ts'
import { drawingOfPart } from './part-picture.ts'
import { picturesOfRun } from './run-pictures.ts'
import { drawSvg } from './svg.ts'

export type { Drawing } from './picture.ts'

/** Returns the drawing of a program. */
export function drawingOfProgram(
  what: string,
  { kind, id, def }: { readonly kind: string; readonly id: string; readonly def: unknown },
  view: KindView,
): Drawing {
  return { what, pictures: [pictureOf(`${kind}:${id}`, graphOf(kind, view, def))], facts: [] }
}

/**
 * Returns the drawing of the programs on the stack of a run, now or after a record, or of what it did in a part of a record: `otter@21.3`.
 * Throws `R2016`, `R2021` and `R2065`.
 */
export async function drawingOfRun(world: TraceWorld, address: string): Promise<Drawing> {
  const { ref, at, part } = readPartAddress(address)
  if (at !== undefined && part !== undefined)
    return drawingOfPart(world, address, await findRecord(world.store, ref, at), { record: at, part })
  const { run, at: record, last, status, pictures } = await picturesOfRun(world, ref, at)
  return {
    what: address,
    pictures,
    facts: [run, status, record === last ? counted(record, 'record') : `at ${record} of ${last}`],
    run: { id: run, record, status },
  }
}

/** Returns a drawing as an image. Throws `R2035` for a picture that is too large to draw. */
export async function svgOf({ pictures, facts }: Drawing): Promise<string> {
  const large = pictures.find(isTooLarge)
  if (large !== undefined)
    throw faults.make('R2035', `${large.program} has ${counted(large.nodes.length, 'node')} and ${counted(large.edges.length, 'edge')}`)
  const titled = pictures.map((picture, i) => ({
    picture,
    title: picture.program,
    facts: (i === 0 && facts.length > 0 ? facts : factsOf(picture)).join(' · '),
  }))
  return drawSvg(titled)
}

/** Returns a drawing as data. */
export function graphDocument({ pictures, run }: Drawing): JsonObject {
  return plainJson({
    v: 1,
    run,
    programs: pictures.map(({ program, kind, nodes, edges, changes }) => ({
      program,
      kind,
      ...(changes.length === 0 ? {} : { changes }),
      nodes: nodes.map(({ name: _, spec: __, ...node }) => node),
      edges,
    })),
  })
}

/** Returns the kind of a program and its size. */
export function factsOf({ kind, nodes, edges }: Picture): string[] {
  return [kind, counted(nodes.length, 'node'), counted(edges.length, 'edge')]
}

/** True for a picture that is not drawn. */
export function isTooLarge({ nodes, edges }: Picture): boolean {
  const index = new Map(nodes.map(({ id }, i) => [id, i]))
  const ends = edges.map(({ from, to }) => ({ from: index.get(from) ?? 0, to: index.get(to) ?? 0 }))
  return nodes.length > MOST_NODES || layerSpan(nodes.length, ends) > MOST_LAYER_SPAN
}

/** The message that replaces a drawing which is too large. */
export const TOO_LARGE = `too large to draw: a drawing has at most ${counted(MOST_NODES, 'node')}, and its edges cross at most ${counted(MOST_LAYER_SPAN, 'layer')} in total`
