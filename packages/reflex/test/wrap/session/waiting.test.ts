import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Fault } from '../../../src/kernel/index.ts'
import { memoryStore, openStore } from '../../../src/store/index.ts'
import { Reflex, type Wrapped } from '../../../src/wrap/index.ts'
import { newFolder } from '../../app/folders.ts'
import { reflex } from '../../cli/worlds.ts'
import { connection, life, type Life } from './world.ts'

const SCRIPT = resolve(import.meta.dirname, 'waiting-script.ts')
const LONGEST = 300_000

/** A process with the script: what it has printed, and how it ends. */
function script(folder: string, what: string): { readonly printed: (line: string) => Promise<void>; readonly ended: Promise<unknown> } {
  const child = spawn(process.execPath, [SCRIPT, folder, what])
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const ended = new Promise((done) => {
    child.on('close', (code, signal) => done([code ?? signal, ...output.trimEnd().split('\n')]))
  })
  child.stderr.on('data', (text: Buffer) => void (output += text.toString()))
  const printed = (line: string): Promise<void> =>
    new Promise((done) => {
      const look = (): void => void (output.includes(line) && done())
      child.stdout.on('data', look)
      child.on('close', () => done())
      look()
    })
  child.stdout.on('data', (text: Buffer) => void (output += text.toString()))
  return { printed, ended }
}

it('keeps a plain script alive until another process answers, or leaves the turn open', { timeout: LONGEST }, async () => {
  const folder = newFolder()
  expect(await script(folder, 'run').ended).toEqual(['SIGKILL', 'sends to bob'])
  expect(await script(folder, 'leave').ended).toEqual([0, 'left: R2157'])
  const resumed = script(folder, 'resume')
  await resumed.printed('R2157')
  const other = new Reflex({ workdir: folder, store: join(folder, 'reflex.db') })
  onTestFinished(() => other.close())
  await other.answer('otter/q1', 'happened')
  expect(await resumed.ended).toEqual([0, 'R2157', 'ok null'])
  expect((await other.find('otter')).status).toBe('completed')
})

/** Counts the timers of a process that keep it alive. */
function timersOf({ host }: Life): () => number {
  const kept = new Set<() => void>()
  const at = host.at.bind(host)
  host.at = (time, callback, background) => {
    const cancel = at(time, () => (kept.delete(stop), callback()), background)
    const stop = (): void => {
      kept.delete(stop)
      cancel()
    }
    if (background !== true) kept.add(stop)
    return stop
  }
  return () => kept.size
}

/** Lets a process work until something is so, and then until what it has done is durable. */
async function work({ host }: Life, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await host.advance(20)
  for (let i = 0; i < 30; i++) await host.advance(20)
}

/** An agent that sends to somebody, and meanwhile reads. */
function agentOf({ reflex }: Life, calls: string[], to: string, read: () => Promise<string>): Wrapped<string, string> {
  return reflex.wrap({
    name: 'sender',
    tools: {
      look: { sideEffects: 'none', execute: read },
      send: async (args: { to: string }) => {
        calls.push(args.to)
        return 'sent'
      },
    },
    llm: async (_: { readonly messages: readonly object[] }) => 'ok',
    agent: async (text: string, { llm, tools }) => {
      await llm({ messages: [{ role: 'user', content: text }] })
      await tools.send({ to: 'ann' })
      return (await Promise.all([tools.send({ to }), tools.look.execute()])).join()
    },
  })
}

it('leaves a turn open once its other calls have ended, and goes on when the answer is there', async () => {
  const folder = newFolder()
  const store = openStore(join(folder, 'reflex.db'))
  onTestFinished(() => store.close())
  const never = new Promise<never>(() => undefined)
  const calls: string[] = []
  const first = life({ store: connection(store), closes: false })
  void agentOf(first, calls, 'bob', () => never).run('hi', { id: 'otter' })
  await work(first, () => calls.includes('bob'))
  const second = life({ store: connection(store), at: first.host.now() + 3_600_000 })
  const read = Promise.withResolvers<string>()
  const ended: unknown[] = []
  const reads: string[] = []
  agentOf(second, calls, 'eve', () => (reads.push('look'), read.promise))
    .resume('otter', { answers: 'none' })
    .catch((thrown: unknown) => ended.push((thrown as Fault).code))
  await work(second, async () => reads.length > 0 && (await second.reflex.inbox()).length > 0)
  expect(ended).toEqual([])
  read.resolve('seen')
  await work(second, () => ended.length > 0)
  expect(ended).toEqual(['R2157'])
  expect(second.troubles).toEqual([])
  const options = { folder, alive: false }
  const { code, err } = await reflex(['answer', 'otter/q1', 'call', '--store', join(folder, 'reflex.db')], options)
  expect([code, err]).toEqual([0, expect.stringMatching(/in its inbox[^]*await wrapped\.resume\('otter'\)/)])
  const third = life({ store, at: second.host.now() + 3_600_000 })
  const resumed = agentOf(third, calls, 'eve', () => never).resume('otter', { answers: 'none' })
  await work(third, () => calls.includes('eve'))
  expect(await resumed).toBe('sent,seen')
  expect(calls).toEqual(['ann', 'bob', 'eve'])
  expect((await third.reflex.replay('otter')).difference).toBeUndefined()
})

it('keeps no process alive without a question, and none after the answer', async () => {
  const store = memoryStore()
  const first = life({ store: connection(store), closes: false })
  const before = timersOf(first)
  const calls: string[] = []
  void agentOf(first, calls, 'bob', () => new Promise(() => undefined)).run('hi', { id: 'otter' })
  await work(first, () => calls.includes('bob'))
  expect(before()).toBe(0)
  const second = life({ store, at: first.host.now() + 3_600_000 })
  const after = timersOf(second)
  const resumed = agentOf(second, calls, 'eve', async () => 'seen').resume('otter')
  await work(second, async () => (await second.reflex.inbox()).length > 0)
  expect(after()).toBe(1)
  await second.reflex.answer((await second.reflex.inbox())[0]?.id ?? '', 'call')
  await work(second, () => calls.includes('eve'))
  await resumed
  expect(after()).toBe(0)
})
