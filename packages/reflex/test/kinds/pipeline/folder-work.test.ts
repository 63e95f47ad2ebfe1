import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { PlacedChange } from '../../../src/kinds/pipeline/folder/folder.ts'
import { FolderImage } from '../../../src/kinds/pipeline/folder/image.ts'
import { countsOf } from '../../counts.ts'
import { folder } from './folders.ts'
import { run } from '../../../src/kinds/pipeline/index.ts'

const CALLS = ['open', 'close', 'mkdir', 'lstatSync', 'unlink', 'rename', 'writeFile', 'readFile', 'appendFile'] as const

type Writer = (changes: readonly PlacedChange[]) => Promise<void>

/** How often each call of the disk is made by some work with a writer. */
async function diskCalls(work: (write: Writer) => Promise<void>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const real = CALLS.map((name) => [name, fs[name]] as const)
  for (const [name, call] of real) {
    const counted = (...given: unknown[]): unknown => {
      counts[name] = (counts[name] ?? 0) + 1
      return (call as (...given: unknown[]) => unknown)(...given)
    }
    Object.assign(fs, { [name]: counted })
  }
  syncBuiltinESMExports()
  vi.resetModules()
  try {
    const { writeFolder } = await import('../../../src/kinds/pipeline/folder/writer.ts')
    for (const name of CALLS) delete counts[name]
    await work(writeFolder)
  } finally {
    Object.assign(fs, Object.fromEntries(real))
    syncBuiltinESMExports()
  }
  return counts
}

test('a file that this process wrote is written again without a read or a lookup', async () => {
  const root = join(folder(), 'logs')
  const image = new FolderImage()
  const write = (writer: Writer): Promise<void> => writer(image.changes('events.jsonl').map((change) => ({ ...change, folder: root })))
  image.put('stage/status.json', '1')
  image.line('one\n')
  await diskCalls(write)
  image.put('stage/status.json', '2')
  image.line('two\n')
  const counts = await diskCalls(write)
  // Two folders and the events are opened and the events extended; the file is made beside the old one and takes its place.
  expect(counts).toEqual({ open: 4, close: 4, writeFile: 2, appendFile: 1, rename: 1 })
  expect([fs.readFileSync(join(root, 'stage/status.json'), 'utf8'), fs.readFileSync(join(root, 'events.jsonl'), 'utf8')]).toEqual([
    '2',
    'one\ntwo\n',
  ])
})

test('a folder above several new folders is opened once in a batch', async () => {
  const root = join(folder(), 'logs')
  const counts = await diskCalls((write) =>
    write(Array.from({ length: 10 }, (_, n) => ({ folder: root, path: `stage/attempts/${n}/status.json`, text: `${n}` }))),
  )
  // For each: the folder is looked for, made and opened, and the file is looked for.
  expect(counts['mkdir']).toBe(13)
  expect(counts['open']).toBeLessThan(50)
  expect(counts['lstatSync']).toBeUndefined()
})

test('a record of a long run costs as many board reads as one of a short run', async () => {
  const looks = async (rounds: number): Promise<number> => {
    const dot = `digraph d {
      start [shape=Mdiamond, context.rounds=0]
      round [type=transform, transform=increment, source_key="rounds", output_key="rounds"]
      done [shape=Msquare]
      start -> round
      say [prompt="round {ctx.rounds}", simulate="true"]
      round -> say
      say -> round [condition="context.rounds<${rounds}"]
      say -> done
    }`
    const counts = await countsOf('kernel/state/scope.ts', async () => void (await run(dot, { logs_root: false })))
    return counts.get('entryAt')
  }
  // Ten for each round, where reading all entries would take 144,000.
  expect(await looks(200)).toBeLessThan(4000)
})
