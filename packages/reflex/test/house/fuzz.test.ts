import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Field, harvest } from '../../../../scripts/fuzz/pool.ts'
import { programOf, subjectsNamed } from '../../../../scripts/fuzz/worker.ts'
import { isFault } from '../../src/kernel/index.ts'
import { parseDot } from '../../src/kinds/pipeline/index.ts'

const SCRIPT = resolve(import.meta.dirname, '../../../../scripts/fuzz.ts')

test('programs of every format are read without a crash or a hang', () => {
  const out = execFileSync(process.execPath, [SCRIPT, '--n', '300', '--seed', '11'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(out.trimEnd().split('\n').slice(-2)).toEqual([
    '300 programs of workflow, pipeline, expression, condition, stylesheet, tree-lua, tree-json, tree-xml, tree-condition, tree-script, protocol, graph, graph-adapter, graph-primitive, graph-host, graph-events, graph-bundle, skill-manifest, skill-template, skill-bulletin, transcript; seed 11',
    '0 crashes, 0 hangs',
  ])
})

test('the same seed and number give the same program, others give others', () => {
  const all = subjectsNamed(undefined)
  const texts = (seed: number): string[] => Array.from({ length: 40 }, (_, number) => programOf(all, seed, number).text)
  expect(texts(3)).toEqual(texts(3))
  expect(texts(4)).not.toEqual(texts(3))
})

test('some programs are read to the end, and some are refused', () => {
  const all = subjectsNamed('pipeline')
  const read = Array.from({ length: 100 }, (_, number) => parseDot(programOf(all, 5, number).text))
  expect(read.filter(({ errors }) => errors.length === 0).length).toBeGreaterThan(10)
  expect(read.filter(({ errors }) => errors.length > 0 && errors.every(isFault)).length).toBeGreaterThan(10)
})

test('a program that crashes, ends its worker, or does not end is told by its number, and the others are tried', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-fuzz-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const worker = join(folder, 'worker.mjs')
  writeFileSync(
    worker,
    `import { appendFileSync } from 'node:fs'
    import { parentPort, workerData } from 'node:worker_threads'
    const { first, end, step, folder, hand } = workerData
    for (let number = first; number < end; number += step) {
      Atomics.store(hand, 0, number)
      appendFileSync(folder + '.tried', number + ' ')
      if (number === 2) parentPort.postMessage({ number, subject: 'x', what: 'it threw' })
      if (number === 4) throw new Error('the end of a worker')
      for (;number === 7;);
    }`,
  )
  const field: Field = {
    seed: 1,
    count: 10,
    workers: 2,
    folder,
    only: undefined,
    worker: pathToFileURL(worker),
    longest: 3000,
    progress() {},
  }
  const { crashes, hangs } = await harvest(field)
  expect(crashes).toMatchObject([
    { number: 2, subject: 'x', what: 'it threw' },
    { number: 4, what: expect.stringContaining('the end of a worker') as string },
  ])
  expect(hangs).toEqual([7])
})
