import { crc32 } from 'node:zlib'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres } from '../../src/store/index.ts'
import { batchOf, messageOf, NOW, rowOf, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

/** Other users of the same database, who can only connect and create their own objects. */

const programs = postgresPrograms()
const RUN = 'otter-2m9q'
const worker = workerOf('first')

describe.skipIf('missing' in programs)('another user of the database', { timeout: 120_000 }, () => {
  let server: PostgresServer
  let drawn = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
    await server.sql(`grant create on schema public to public; grant create on database postgres to public`)
    await server.sql(`create role app login password 'x'; create role mallory login password 'x'`)
  })
  afterAll(() => server?.stop())

  const schema = (): string => `shared_${++drawn}`
  const opened = (name: string, patience = 500): Store => {
    const store = openPostgres(server.address({ schema: name, user: 'app', password: 'x' }), { patience })
    onTestFinished(async () => store.close())
    return store
  }
  const mallory = (text: string): Promise<unknown> => server.sql(`set role mallory; ${text}`)
  const begun = async (store: Store): Promise<Lease> => {
    await store.hello(worker, NOW, TTL)
    return (await store.create(rowOf(RUN), worker)) as Lease
  }
  const fault = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      return JSON.stringify(await work())
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      return thrown.toString()
    }
  }

  it('cannot put a function before those of Postgres', async () => {
    for (const made of [
      'public.cardinality(text[]) returns integer',
      'public.crc32(text) returns integer',
      'public.pg_advisory_xact_lock_shared(integer, integer) returns integer',
      'public.current_setting(unknown) returns text',
    ])
      await mallory(`create or replace function ${made} language plpgsql as $$ begin raise exception 'shadowed'; end $$`).catch(
        () => undefined,
      )
    await mallory(`create function public.never(text, text) returns boolean language plpgsql as $$ begin raise exception 'shadowed'; end $$;
      create operator public.= (leftarg = text, rightarg = text, function = public.never)`)
    await server.sql('alter role app set search_path = public, pg_catalog')
    const store = opened(schema())
    const lease = await begun(store)
    expect(
      await store.commit([batchOf(lease, 1, { programs: [{ hash: 'h', kind: 'k', source: '1' }], blobs: new Map([['b', '2']]) })]),
    ).toEqual([])
    expect(await store.post(RUN, messageOf('m'))).toBe(true)
    expect(await store.append('l', 'k', 1, NOW)).toBe(1)
    expect((await store.runs()).map(({ id }) => id)).toEqual([RUN])
    await server.sql('alter role app reset search_path; drop function public.never cascade')
  })

  it.each([
    ['an empty schema', () => ''],
    [
      'a schema with a header that runs a function',
      (
        name: string,
      ) => `create function ${name}.say() returns integer language plpgsql as $$ begin raise exception 'run as %', current_user; end $$;
      create view ${name}.header as select 'reflex'::text as application, ${name}.say() as layout; grant all on ${name}.header to public;`,
    ],
  ])('creates %s first: the schema is refused, and nothing in it runs', async (_, more) => {
    const name = schema()
    await mallory(`create schema ${name}; grant all on schema ${name} to public; ${more(name)}`)
    const said = await fault(() => begun(opened(name)))
    expect(said).toContain('R5066')
    expect(said).toContain('belongs to the user mallory')
    expect(said).not.toContain('run as')
  })

  it('cannot read or write the tables', async () => {
    const name = schema()
    const lease = await begun(opened(name))
    expect(lease).toBeTypeOf('object')
    for (const text of [
      `select from ${name}.run`,
      `insert into ${name}.ledger values ('labels', 1, 'k', 0, 0, '1')`,
      `create trigger t before insert on ${name}.run execute function suppress_redundant_updates_trigger()`,
      `drop schema ${name} cascade`,
    ])
      await expect(mallory(text), text).rejects.toThrow(/permission denied|must be owner/)
  })

  it('cannot shadow a table with a temporary one or with a schema of the user’s name', async () => {
    const name = schema()
    await mallory('create schema app; create table app.run (id text); create table app.header (application text, layout integer)').catch(
      () => undefined,
    )
    const store = opened(name)
    const lease = await begun(store)
    expect(await store.commit([batchOf(lease, 1)])).toEqual([])
  })

  it('can notify at any rate and size without any effect', async () => {
    const name = schema()
    const store = opened(name)
    await begun(store)
    let heard = 0
    const watch = store.watch(() => void heard++)
    onTestFinished(() => watch.stop())
    await store.post(RUN, messageOf('m'))
    const [row] = await server.sql<{ channel: string }>('select pg_listening_channels() as channel')
    expect(row).toBeUndefined()
    await mallory(
      `select pg_notify(c, repeat('{"run":"${RUN}","type":"answer"}', 200)) from unnest(array['reflex', '${name}', 'reflex_${name}']) c, generate_series(1, 500)`,
    )
    expect((await store.inbox(RUN)).map(({ id }) => id)).toEqual(['m'])
    expect(heard).toBeGreaterThan(0)
  })

  it('holds a lock with the same number: the commit fails with a code, and nothing is lost', async () => {
    const name = schema()
    const store = opened(name)
    const lease = await begun(store)
    const batch = batchOf(lease, 1, { programs: [{ hash: 'h', kind: 'k', source: '1' }] })
    const squatter = new Client({ host: '127.0.0.1', port: server.port, user: 'mallory', password: 'x', database: 'postgres' })
    await squatter.connect()
    await squatter.query('select pg_advisory_lock($1, $2)', [0x527377, crc32(name) | 0])
    try {
      expect(await fault(async () => store.commit([batch]))).toContain('R5025')
      expect(await store.journal(RUN)).toEqual([])
    } finally {
      await squatter.end()
    }
    expect(await store.commit([batch])).toEqual([])
  })

  it.each([
    ['forged', 'repeat(\'{"a":1}\', 1)'],
    ['oversized', "repeat('x', 30000000)"],
  ])('that may only insert messages: a %s one is set aside with a code', async (_, body) => {
    const name = schema()
    const store = opened(name)
    await begun(store)
    await server.sql(`grant usage on schema ${name} to mallory; grant insert on ${name}.inbox to mallory`)
    await mallory(`insert into ${name}.inbox (run, id, type, target, at, sum, body) values (1, 'm', 'answer', '1', 0, 0, ${body})`)
    const said = await fault(async () => store.inbox(RUN))
    expect(said).toContain('R5013')
    expect(said.length).toBeLessThan(5_000)
    expect((await store.runs()).map(({ id }) => id)).toEqual([RUN])
  })
})
