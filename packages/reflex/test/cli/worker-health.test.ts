import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/index.ts'
import { answerProbes } from '../../src/cli/worker-health.ts'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { start, workFolder } from './worlds.ts'

/** What a supervisor gets for a path: the status, and the code of an error. */
async function ask(port: number, path: string): Promise<readonly [number, string]> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  const { status, error } = (await answer.json()) as { status?: string; error?: { code: string } }
  return [answer.status, status ?? error?.code ?? '']
}

test('a worker answers probes on the port that it prints, and no longer once it has ended', async () => {
  const worker = start(['worker', '--health', '0'], { folder: workFolder() })
  await worker.shows('probes on port')
  await worker.shows('works')
  const port = Number(/probes on port (\d+)/.exec(worker.screen())?.[1])
  expect(await ask(port, '/healthz')).toEqual([200, 'ok'])
  expect(await ask(port, '/readyz?verbose')).toEqual([200, 'ok'])
  expect(await ask(port, '/v1/runs')).toEqual([404, 'R6007'])
  worker.interrupt('SIGTERM')
  expect((await worker.ended).code).toBe(143)
  await expect(ask(port, '/healthz')).rejects.toThrow('fetch failed')
})

test.each(['65536', '1e3', '-1', ''])('the port %j of probes is refused', async (port) => {
  const { code, err } = await start(['worker', `--health=${port}`], { folder: workFolder() }).ended
  expect(code).toBe(2)
  expect(err).toContain('R2031')
})

test('a port that is in use ends the worker with what to do', async () => {
  const other = createServer().listen(0)
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { code, err } = await start(['worker', '--health', String((other.address() as AddressInfo).port)], { folder: workFolder() }).ended
  expect(code).toBeGreaterThan(0)
  expect(err).toMatch(/R6012[^]*choose another port for --health/)
})

test('a worker that stops, or whose store does not answer, is healthy and not ready', async () => {
  const host = virtualHost()
  let answers = true
  const store = memoryStore()
  const runs: Store['runs'] = (filter) => (answers ? store.runs(filter) : new Promise(() => undefined))
  const reflex = new Reflex({
    store: new Proxy(store, { get: (from, key) => (key === 'runs' ? runs : (Reflect.get(from, key, from) as unknown)) }),
    surroundings: { host, worker: { id: 'w', host: 'test', pid: 2 ** 22 }, cwd: workFolder(), environment: {}, actor: 'ana' },
  })
  const stop = new AbortController()
  const probes = await answerProbes(reflex, 0, stop.signal)
  const { port } = probes
  onTestFinished(() => probes.close())
  expect(await ask(port, '/readyz')).toEqual([200, 'ok'])
  answers = false
  const waiting = { isOver: false }
  const late = ask(port, '/readyz').finally(() => (waiting.isOver = true))
  // The request arrives by a real connection; then the virtual time passes that the store has.
  while (!waiting.isOver) {
    await new Promise(setImmediate)
    await host.advance(500)
  }
  expect(await late).toEqual([503, 'R6061'])
  answers = true
  stop.abort()
  expect(await ask(port, '/readyz')).toEqual([503, 'R6061'])
  expect(await ask(port, '/healthz')).toEqual([200, 'ok'])
})
