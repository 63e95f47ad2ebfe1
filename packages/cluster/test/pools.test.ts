import { Pool } from 'pg'
import { expect, it, vi } from 'vitest'
import { virtualHost } from '../../reflex/src/testing/index.ts'
import { patientPool, promptPool, revealed } from '../src/pools.ts'

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

/** A pool of a database that refuses so many connections, and then answers. */
function latePool(refusals: number): { readonly pool: Pool; readonly asked: () => number } {
  const pool = new Pool()
  const client = { query: () => Promise.resolve({ rows: ['an answer'] }), release: () => undefined }
  let asked = 0
  vi.spyOn(pool, 'connect').mockImplementation((() => {
    if (pool.ending) return Promise.reject(new Error('the pool has ended'))
    return asked++ < refusals ? Promise.reject(REFUSED) : Promise.resolve(client)
  }) as never)
  return { pool, asked: () => asked }
}

it('the dispatcher waits while the database is away, and continues when it is back', async () => {
  const host = virtualHost()
  const { pool, asked } = latePool(40)
  const rows = patientPool(pool, host).query('select 1')
  await host.drain()
  for (let quarter = 0; quarter < 39; quarter++) await host.advance(250)
  expect(asked()).toBe(40)
  await host.advance(250)
  expect(await rows).toEqual({ rows: ['an answer'] })
  expect(asked()).toBe(41)
})

it('waits no longer once the pool has ended', async () => {
  const host = virtualHost()
  const { pool } = latePool(Number.POSITIVE_INFINITY)
  const client = patientPool(pool, host).connect()
  const refusal = expect(client).rejects.toThrow('the pool has ended')
  await host.advance(500)
  await pool.end()
  await host.advance(500)
  await refusal
})

it('what a tick asks of DBOS fails at once, for a reason that DBOS does not see and the worker reports', async () => {
  const { pool } = latePool(1)
  const hidden = await promptPool(pool)
    .connect()
    .catch((thrown: unknown) => thrown)
  expect(JSON.stringify([String(hidden), (hidden as Error).stack, (hidden as Error).cause])).not.toContain('ECONNREFUSED')
  await expect(revealed(Promise.reject(hidden))).rejects.toBe(REFUSED)
})
