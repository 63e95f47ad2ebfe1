import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Message, Store } from '../../src/kernel/index.ts'
import { memoryStore, openSqlite } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { Doors, kindOf, type Step, worldOf } from './world.ts'

const asks: Step = (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(input[2]))
const acts: Step = (x, input) => (input === undefined ? x.request('door') : void 0)
const message = (id: string, more: Partial<Message>): Message => ({ id, type: 'message', to: 't', body: null, at: 0, ...more })

/** Two connections to one place, as two processes have them. */
const PLACES: readonly (readonly [string, () => readonly [Store, Store]])[] = [
  [
    'in memory',
    () => {
      const store = memoryStore()
      return [store, store]
    },
  ],
  [
    'in SQLite',
    () => {
      const file = join(newFolder(), 'reflex.db')
      return [openSqlite(file), openSqlite(file)]
    },
  ],
]

test.each(PLACES)('a suspended run takes an answer of another process within a second, %s', async (_, place) => {
  const [store, other] = place()
  const { start, host, runtime } = worldOf([kindOf('asks', asks)], { store })
  const run = await start('asks')
  await run.idle()
  await other.post(run.id, message('a1', { type: 'answer', to: '2w', body: 'yes', by: 'ben' }))
  await host.advance(1000)
  expect(run.state.ended?.value).toBe('yes')
  await runtime.close()
})

test.each(PLACES)('a run is cancelled within a second while an effect is under way, %s', async (_, place) => {
  const [store, other] = place()
  const doors = new Doors()
  const { start, host, runtime } = worldOf([kindOf('acts', acts)], { store, ports: { door: doors.port() } })
  const run = await start('acts')
  await host.drain()
  expect(doors.door().signal.aborted).toBe(false)
  await other.post(run.id, message('c1', { type: 'cancel', to: '', body: 'enough' }))
  await host.advance(1000)
  expect({ status: run.status, aborted: doors.door().signal.aborted }).toEqual({ status: 'cancelled', aborted: true })
  await runtime.close()
})

test.each(PLACES)('a message without a wait is read once, for any number of writes by other processes, %s', async (_, place) => {
  const [store, other] = place()
  let reads = 0
  const counting: Store = new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...given: never[]) => {
        if (name === 'inbox') reads++
        return Reflect.apply<Store, never[], unknown>(member as never, target, given)
      }
    },
  })
  const { start, host, runtime } = worldOf([kindOf('asks', asks)], { store: counting })
  const [run, another] = [await start('asks'), await start('asks')]
  await run.idle()
  await other.post(run.id, message('m1', { to: 'nobody waits' }))
  await host.advance(1000)
  const before = reads
  for (let i = 0; i < 10; i++) {
    await other.append('log', `k${i}`, i, 0)
    await host.advance(1000)
  }
  expect(reads).toBe(before)
  await other.post(another.id, message('a1', { type: 'answer', to: '2w', body: 'yes' }))
  await host.advance(1000)
  expect([run.status, another.status]).toEqual(['suspended', 'completed'])
  await runtime.close()
})

test('a store that cannot be read for a while is asked again', async () => {
  const inner = memoryStore()
  let cut = false
  const store: Store = new Proxy(inner, {
    get: (target, name: keyof Store) => {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...given: never[]) => {
        if (cut && (name === 'unread' || name === 'inbox')) throw new Error('the cable is cut')
        return Reflect.apply<Store, never[], unknown>(member as never, target, given)
      }
    },
  })
  const { start, host, runtime } = worldOf([kindOf('asks', asks)], { store })
  const run = await start('asks')
  await run.idle()
  cut = true
  await inner.post(run.id, message('a1', { type: 'answer', to: '2w', body: 'yes' }))
  await host.advance(5000)
  expect(run.status).toBe('suspended')
  cut = false
  await host.advance(1000)
  expect(run.state.ended?.value).toBe('yes')
  await runtime.close()
})

test('a message that is not what was written is set aside, and its run continues', async () => {
  const file = join(newFolder(), 'reflex.db')
  const store = openSqlite(file)
  const { start, host, runtime } = worldOf([kindOf('asks', asks)], { store })
  const run = await start('asks')
  await run.idle()
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(file)
  const other = openSqlite(file)
  for (const [id, harm] of [
    ['m1', "body = '1'"],
    ['m2', "body = '{'"],
    ['m3', "type = 'cancel'"],
    ['m4', "target = '2w', type = 'answer'"],
  ] as const) {
    await other.post(run.id, message(id, { body: 'as it was sent' }))
    db.exec(`update inbox set ${harm} where id = '${id}'`)
    await host.advance(1000)
  }
  await run.idle()
  const { records } = await runtime.history(run.id)
  const refused = records.flatMap(({ input }) => (input?.[0] === 'kernel' && input[1] === 'refused' ? [input[2]] : []))
  expect(refused).toEqual(
    ['m1', 'm2', 'm3', 'm4'].map((id) => ({
      id,
      to: '',
      fault: expect.objectContaining({ code: 'R5013', severity: 'warning', message: expect.stringContaining(id) as string }) as unknown,
    })),
  )
  expect(await store.inbox(run.id)).toEqual([])
  expect(run.status).toBe('suspended')
  await run.answer('2w', 'yes')
  expect(run.state.ended?.value).toBe('yes')
  db.close()
  await other.close()
  await runtime.close()
})
