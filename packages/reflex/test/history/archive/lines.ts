import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { encodeRecord, isFault, type Json, programHash, type Rec, type Start, type Store } from '../../../src/kernel/index.ts'
import type { Reflex } from '../../../src/app/reflex.ts'
import { lifeIn, newFolder, workflow } from '../../app/folders.ts'

/** Returns the lines of an archive. */
export async function exported(reflex: Reflex, run: string, secret?: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of reflex.export(run, secret === undefined ? {} : { secret })) lines.push(line)
  return lines
}

/** A workflow that reads a file, calls another workflow and asks a question. */
const CHECK = workflow('check', { look: { writes: { verdict: 'good' } } }, [])
const PAY = workflow(
  'pay',
  {
    read: { tool: 'json.read', args: { path: 'order.json' }, writes: { total: 'total', note: 'note' } },
    verify: { invokes: { workflowId: 'check', returnMap: [{ parentKey: 'identity', childKey: 'verdict' }] } },
    ask: { ask: 'Pay?', options: [{ event: 'YES' }, { event: 'NO' }], due: '3d' },
    paid: { writes: { receipt: 'rf_1' } },
    left: { writes: { receipt: 'none' } },
  },
  [
    ['next', 'read', 'verify'],
    ['then', 'verify', 'ask'],
    ['yes', 'ask', 'paid'],
    ['no', 'ask', 'left'],
  ],
)

/** Creates a folder with a run that asks a question and holds a value that is stored beside its record. */
export async function asking(store?: Store, size = 150_000): Promise<{ readonly folder: string; readonly reflex: Reflex }> {
  const folder = newFolder()
  writeFileSync(join(folder, 'check.workflow.json'), JSON.stringify(CHECK))
  writeFileSync(join(folder, 'pay.workflow.json'), JSON.stringify(PAY))
  writeFileSync(join(folder, 'order.json'), JSON.stringify({ total: 84, note: 'größer \u0000 als 😀 '.repeat(Math.ceil(size / 18)) }))
  const reflex = lifeIn(folder, store === undefined ? {} : { store })
  await reflex.run(join(folder, 'pay.workflow.json'), { id: 'otter-2m9q' })
  return { folder, reflex }
}

/** Creates a new folder and store for imports. */
export function elsewhere(store?: Store): Reflex {
  return lifeIn(newFolder(), store === undefined ? {} : { store })
}

/** Returns lines with matching hashes, as an attacker without the secret can write them. */
export function rehashed(lines: readonly string[]): string[] {
  let head = ''
  return lines.map((line) => {
    const content = `${line.replace(/,"hash":"[0-9a-f]*"(,"signature":"[0-9a-f]{64}")?\}$/, '')}}`
    head = createHash('sha256').update(`${head}\n${content}`).digest('hex')
    return `${content.slice(0, -1)},"hash":"${head}"}`
  })
}

export interface Refusal {
  readonly code: string
  readonly line: number | undefined
}

/** Returns the fault of an import. */
export async function refusal(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work
  } catch (thrown) {
    if (isFault(thrown)) return { code: thrown.code, line: thrown.line }
    throw thrown
  }
  return { code: 'nothing is refused', line: undefined }
}

const NOW = 1_767_603_600_000
const NOTHING = {
  frame: 0,
  elapsed: 0,
  input: undefined,
  writes: undefined,
  position: undefined,
  requests: undefined,
  more: undefined,
} as const

/** A run from another program: its start, and the function that writes its records. */
async function begun(
  store: Store,
  id: string,
): Promise<{
  readonly start: Start
  readonly write: (first: number, records: readonly Rec[]) => Promise<void>
  readonly end: () => Promise<void>
}> {
  const source = workflow('one', { a: { ask: 'Which?' } }, [])
  const hash = programHash('workflow', source as never)
  const pins = [['workflow:one', 'workflow', 1, hash]] as const
  const [trace, worker] = ['ab'.repeat(16), { id: 'writer', host: 'elsewhere.example.org', pid: 1 }]
  await store.hello(worker, NOW, 1000)
  const lease = await store.create(
    { id, trace, program: pins[0], status: 'running', started: NOW, updated: NOW, due: null, waits: [] },
    worker,
  )
  if (lease === 'taken') throw new Error(`${id} is taken`)
  const start: Start = { v: 1, run: id, trace, seed: trace, at: NOW, pins, by: { actor: 'ana', trust: 'probationary', workdir: '/' } }
  return {
    start,
    write: async (first, records) => {
      const encoded = records.map(encodeRecord)
      const row = { status: 'suspended', updated: NOW + first, due: null, waits: [] } as const
      await store.commit([
        {
          lease,
          first,
          count: encoded.length,
          version: 1,
          body: `[${encoded.map(({ text }) => text).join(',\n')}]`,
          row,
          blobs: new Map(encoded.flatMap(({ blobs }) => [...(blobs ?? [])])),
          ...(first === 1 ? { programs: [{ hash, kind: 'workflow', source: JSON.stringify(source) }] } : {}),
        },
      ])
    },
    end: async () => store.release(lease),
  }
}

/** Creates a run that has asked a model, with the usage of each answer. */
export async function modelRun(store: Store, id: string, used: readonly Json[]): Promise<void> {
  const { start, write, end } = await begun(store, id)
  const asked: Rec = { ...NOTHING, position: 'a', requests: used.map(() => ['model', { model: 'some:one' }] as const) }
  const answered = used.map((usage, i): Rec => ({ ...NOTHING, input: ['ok', i === 0 ? 2 : `2.${i}`, { usage }] }))
  await write(1, [{ ...NOTHING, input: ['kernel', 'start'], more: { start } }, asked, ...answered])
  await end()
}

/** Creates a long run from another program, with a number of records. Some of them write a value that is stored beside them. */
export async function longRun(store: Store, id: string, records: number, values: number, size: number): Promise<void> {
  const { start, write, end } = await begun(store, id)
  const every = Math.floor(records / values)
  for (let first = 1; first <= records; first += every) {
    const batch = Array.from({ length: Math.min(every, records - first + 1) }, (_, i): Rec => {
      const n = first + i
      if (n === 1) return { ...NOTHING, input: ['kernel', 'start'], more: { start } }
      if (n === 2) return { ...NOTHING, position: 'a' }
      return {
        ...NOTHING,
        elapsed: 1,
        input: ['host', n],
        writes:
          i === 0
            ? [
                'doc',
                String(n)
                  .padEnd(8, '.')
                  .repeat(size / 8),
              ]
            : [`key ${n % 50}`, n],
      }
    })
    await write(first, batch)
  }
  await end()
}
