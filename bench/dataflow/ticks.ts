import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import { documentOf, layered, payloads } from './layered.ts'

const NODES = 100
const FIELDS = 3

/** A graph of 100 nodes with its adapter: every tick has three numbers. */
const ADAPTER: JsonObject = {
  kind: 'adapter',
  id: 'ticks',
  version: '1.0.0',
  runtime_compatibility: '0.1.0',
  context_keys: fields().map((name) => ({ name, type: 'Number', required: true, writable: false })),
  event_kinds: [
    {
      name: 'tick',
      payload_schema: {
        type: 'object',
        properties: Object.fromEntries(fields().map((name) => [name, { type: 'number' }])),
        required: fields(),
        additionalProperties: false,
      },
    },
  ],
  accepts: { effects: [] },
  capture: { format_version: '1', fields: ['event.tick'] },
}

function fields(): string[] {
  return Array.from({ length: FIELDS }, (_, i) => `k${i}`)
}

/** A folder with the graph of 100 nodes. */
export interface TickFolder {
  readonly folder: string
  readonly graph: string
  remove(): void
}

export function tickFolder(): TickFolder {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-bench-dataflow-'))
  const graph = join(folder, 'ticks.dataflow.json')
  writeFileSync(graph, JSON.stringify(documentOf(layered(NODES, FIELDS), 'ticks')))
  writeFileSync(join(folder, 'ticks.adapter.json'), JSON.stringify(ADAPTER))
  return { folder, graph, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Returns so many events. The values of a thousand events come again and again. */
export function* ticks(count: number): Generator<JsonObject> {
  const values = payloads(1_000, FIELDS)
  for (let i = 0; i < count; i++) yield { event_id: `e${i}`, semantic_kind: 'tick', at: i, payload: values[i % values.length] ?? {} }
}

/** Writes so many events to a file, one on each line. Returns its size in bytes. */
export function writeTicks(file: string, count: number): number {
  const handle = openSync(file, 'w')
  let size = 0
  let lines: string[] = []
  const flush = (): void => {
    size += writeSync(handle, lines.join(''))
    lines = []
  }
  for (const tick of ticks(count)) {
    lines.push(`${JSON.stringify(tick)}\n`)
    if (lines.length === 10_000) flush()
  }
  flush()
  closeSync(handle)
  return size
}
