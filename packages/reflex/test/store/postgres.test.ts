import { execFileSync } from 'node:child_process'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openPostgres, openStore, postgresFaults, type PostgresOptions } from '../../src/store/index.ts'
import { postgresFault, isLost } from '../../src/store/postgres/errors.ts'
import { storeSuite } from '../../src/testing/store-suite.ts'
import { batchOf, messageOf, NOW, rowOf, spans, TTL, workerOf } from '../../src/testing/store-suite/world.ts'
import { ledgerAsModel } from './ledger-model.ts'
import { answersAsMemory } from './model.ts'
import { PostgresServer, postgresPrograms } from './postgres-server.ts'

const programs = postgresPrograms()
const skipped = 'missing' in programs ? ` (skipped: ${programs.missing})` : ''
const RUN = 'otter-2m9q'
const worker = workerOf('first')

async function faultOf(work: () => unknown): Promise<{ readonly code: string; readonly verdict: string; readonly text: string }> {
  try {
    await work()
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { code: thrown.code, verdict: thrown.verdict, text: `${thrown.toString()}\n${JSON.stringify(thrown)}\n${thrown.stack}` }
  }
  return { code: 'nothing is thrown', verdict: '', text: '' }
}

describe.skipIf('missing' in programs)(`a store in Postgres${skipped}`, { timeout: 60_000 }, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.stop())

  const opened = (address = server.address(), options?: PostgresOptions): Store => {
    const store = openPostgres(address, options)
    onTestFinished(async () => store.close())
    return store
  }
  const begun = async (store: Store): Promise<Lease> => {
    await store.hello(worker, NOW, TTL)
    return (await store.create(rowOf(RUN), worker)) as Lease
  }
  const schemaOf = (address: string) => new URL(address).searchParams.get('schema') ?? ''

  const place = () => {
    const address = server.address()
    return { open: () => openStore(address), dispose: () => {} }
  }
  for (const { name, run } of storeSuite('postgres', place)) it(name, run)

  describe('whose journal has partitions', () => {
    const partitioned = () => {
      const address = `${server.address()}&partitions=5`
      return { open: () => openStore(address), dispose: () => {} }
    }
    for (const { name, run } of storeSuite('postgres', partitioned)) it(name, run)

    it('spreads the runs over them; the number in the address of a store that exists changes nothing', async () => {
      const address = server.address()
      const store = opened(`${address}&partitions=4`)
      const lease = await begun(store)
      expect(await store.commit([batchOf(lease, 1)])).toEqual([])
      const other = opened(`${address}&partitions=2`)
      expect(spans(await other.journal(RUN))).toBe('1')
      const parts = await server.sql<{ readonly reloptions: readonly string[] }>(
        `select reloptions from pg_inherits join pg_class on oid = inhrelid where inhparent = '${schemaOf(address)}.journal'::regclass`,
      )
      expect(parts.map(({ reloptions }) => reloptions.includes('autovacuum_freeze_min_age=0'))).toEqual([true, true, true, true])
    })
  })

  it('answers any sequence of calls as the memory store does', async () => answersAsMemory(opened(), 60))

  it('keeps a ledger as the model of its rules', async () => {
    const store = opened()
    await ledgerAsModel(() => store, 25)
  })

  describe('the order of commits', () => {
    const placed = async (store: Store, place: string): Promise<readonly [found: string[], end: string]> => {
      const { batches = [], end = '' } = (await store.committed(place)) ?? {}
      return [batches.map(({ run, first }) => `${run}@${first}`), end]
    }

    it('neither loses a batch of a slow transaction nor holds up the others, also of other users of the database', async () => {
      const address = server.address()
      const store = opened(address)
      const lease = await begun(store)
      await store.create(rowOf('slow-1'), worker)
      const start = (await store.committed())?.end ?? ''
      const { username, password, pathname } = new URL(address)
      const slow = new Client({
        host: '127.0.0.1',
        port: server.port,
        user: username,
        password: decodeURIComponent(password),
        database: pathname.slice(1),
      })
      await slow.connect()
      onTestFinished(() => slow.end())
      await slow.query('begin')
      await slow.query(`insert into "${schemaOf(address)}".journal (run, first, count, version, sum, body)
        select seq, 1, 1, 1, 0, '[]' from "${schemaOf(address)}".run where id = 'slow-1'`)
      const places = [start]
      for (let first = 1; first <= 40; first++) {
        await store.commit([batchOf(lease, first)])
        const [found, end] = await placed(store, places.at(-1) ?? '')
        expect(found).toEqual([`${RUN}@${first}`])
        expect(end.length).toBeLessThan(40)
        places.push(end)
      }
      await slow.query('commit')
      for (const [i, place] of places.entries()) {
        const [found] = await placed(opened(address), place)
        const rest = Array.from({ length: 40 - i }, (_, n) => `${RUN}@${i + n + 1}`)
        expect(found).toEqual(['slow-1@1', ...rest])
      }
    })

    it('refuses a place of a server that is ahead, as after a restore of an older copy', async () => {
      const store = opened()
      await begun(store)
      const end = Number.parseInt((await store.committed())?.end ?? '', 36)
      expect(await store.committed((end + 1_000_000).toString(36))).toBeUndefined()
    })
  })

  describe('values', () => {
    it('are returned unchanged: ten megabytes, and the character that Postgres text cannot contain', async () => {
      const store = opened()
      const lease = await begun(store)
      const odd = '\0 \u0001 \u00010 \u00011 \\ " {a,NULL} \u{1f600} \u2028 %s $1'
      const long = `${odd}${'0123456789abcdeü'.repeat(700_000)}`
      const batch = batchOf(lease, 1, {
        body: long,
        snapshot: `snapshot ${odd}`,
        programs: [{ hash: odd, kind: odd, source: odd }],
        blobs: new Map([['long', long]]),
      })
      expect(await store.commit([batch])).toEqual([])
      expect((await store.journal(RUN))[0]?.body === long).toBe(true)
      expect((await store.blob('long')) === long).toBe(true)
      expect((await store.read(RUN))?.snapshot?.body).toBe(`snapshot ${odd}`)
      expect(await store.program(odd)).toEqual({ hash: odd, kind: odd, source: odd })
    })

    it('can have a name with this character too', async () => {
      const store = opened()
      await store.hello(worker, NOW, TTL)
      for (const id of ['a\0b', 'a\u0001b', 'a\u00010b', "a'; drop schema reflex; --"]) {
        const lease = (await store.create(rowOf(id), worker)) as Lease
        expect(await store.commit([batchOf(lease, 1)])).toEqual([])
        expect(await store.post(id, messageOf(id, { to: id, by: id }))).toBe(true)
        expect(await store.inbox(id)).toMatchObject([{ id, to: id, by: id }])
        expect(await store.append(id, id, id, NOW)).toBe(1)
      }
      expect((await store.runs({ prefix: 'a\0' })).map(({ id }) => id)).toEqual(['a\0b'])
      expect((await store.runs({ prefix: 'a\u0001' })).map(({ id }) => id)).toEqual(['a\u00010b', 'a\u0001b'])
    })

    it('of six hundred runs are listed and committed together', async () => {
      const store = opened()
      await store.hello(worker, NOW, TTL)
      const ids = Array.from({ length: 600 }, (_, i) => `run-${i}`)
      const leases = await Promise.all(ids.map(async (id) => store.create(rowOf(id), worker)))
      expect(await store.commit(leases.map((lease) => batchOf(lease as Lease, 1)))).toEqual([])
      expect((await store.runs()).map(({ id, last }) => `${id} ${last}`).sort()).toEqual(ids.map((id) => `${id} 1`).sort())
      expect(await store.runs({ limit: 550 })).toHaveLength(550)
    })

    it('of several concurrent commits keep the order of the calls', async () => {
      const store = opened()
      const lease = await begun(store)
      const refused = await Promise.all([1, 2, 3, 4].map(async (first) => store.commit([batchOf(lease, first)])))
      expect(refused).toEqual([[], [], [], []])
      expect(await store.journal(RUN)).toHaveLength(4)
    })
  })

  describe('that another user changed', () => {
    it.each([
      ['a record', 'update S.journal set body = replace(body, $$record$$, $$recore$$) where first = 2', /record 2 is not what was written/],
      ['its checksum', 'update S.journal set sum = sum + 1 where first = 2', /record 2 is not what was written/],
      ['a missing record', 'delete from S.journal where first = 2', /record 2 is missing/],
      ['a missing last record', 'delete from S.journal where first = 3', /record 3 is missing/],
      ['the row', 'update S.run set last = 2', /the row of otter-2m9q is not what was written/],
    ])('%s: R5003 names the run and the record, and nothing changes', async (_what, harm, message) => {
      const address = server.address()
      const store = opened(address)
      const lease = await begun(store)
      for (const first of [1, 2, 3]) await store.commit([batchOf(lease, first)])
      await server.sql(harm.replaceAll('S.', `${schemaOf(address)}.`))
      const before = await server.sql(`select * from ${schemaOf(address)}.journal order by first`)
      for (const reader of [store, opened(address)])
        await expect(reader.read(RUN)).rejects.toMatchObject({ code: 'R5003', message, run: RUN })
      expect(await server.sql(`select * from ${schemaOf(address)}.journal order by first`)).toEqual(before)
    })

    it('a snapshot costs only time, a message is set aside, an entry, a program and a value are R5003', async () => {
      const address = server.address()
      const store = opened(address)
      const lease = await begun(store)
      await store.commit([batchOf(lease, 1, { snapshot: 'one' })])
      const parts = { programs: [{ hash: 'p', kind: 'k', source: 's' }], blobs: new Map([['b', 'text']]) }
      await store.commit([batchOf(lease, 2, { snapshot: 'two', ...parts })])
      await store.post(RUN, messageOf('m'))
      await store.appendAll('a', 'k', [{ name: 'x', value: 1 }], NOW, { keep: 1 })
      const schema = schemaOf(address)
      await server.sql(`update ${schema}.snapshot set body = 'tow' where at = 2; update ${schema}.program set source = 'x';
        update ${schema}.blob set body = 'x'; update ${schema}.inbox set body = '1'; update ${schema}.ledger set value = '2';
        update ${schema}.ledger_facts set keep = 2`)
      expect((await store.read(RUN))?.snapshot).toEqual({ at: 1, body: 'one' })
      for (const work of [() => store.program('p'), () => store.blob('b'), () => store.ledger('a'), () => store.latest('a')])
        expect((await faultOf(work)).code).toBe('R5003')
      expect(await store.inbox(RUN)).toMatchObject([{ id: 'm', body: null, fault: { code: 'R5013', run: RUN } }])
    })
  })

  describe('that cannot be opened', () => {
    const secret = 'S3cr3t-%&/#'

    it.each([
      ['a wrong password', 'R5063', async () => server.address({ password: secret })],
      ['a user that does not exist', 'R5063', async () => server.address({ user: 'nobody', password: secret })],
      ['a missing database', 'R5064', async () => server.address({ database: 'nowhere' })],
      ['a port without a server', 'R5062', async () => server.address({ port: 1, password: secret })],
      ['a host that does not exist', 'R5062', async () => `postgres://ana:${encodeURIComponent(secret)}@nowhere.invalid/db`],
      ['a server that has no TLS', 'R5062', async () => `${server.address()}&sslmode=verify-full`],
      [
        'a schema of something else',
        'R5066',
        async () => {
          const address = server.address()
          await server.sql(`create schema ${schemaOf(address)}; create table ${schemaOf(address)}.customers (id int)`)
          return address
        },
      ],
      [
        'a header of another program',
        'R5066',
        async () => {
          const address = server.address()
          const schema = schemaOf(address)
          await server.sql(`create schema ${schema}; create table ${schema}.header as select 'other' as application, 1 as layout`)
          return address
        },
      ],
      ['a newer layout', 'R5067', async () => changed('update S.header set layout = 99')],
      ['a table that is missing', 'R5068', async () => changed('drop table S.blob')],
      ['a column that is missing', 'R5068', async () => changed('alter table S.worker drop column place')],
      [
        'a database in another encoding',
        'R5071',
        async () => {
          await server.sql(`create database latin encoding 'LATIN1' locale 'C' template template0`)
          return server.address({ database: 'latin' })
        },
      ],
      ['a user who may have no connection', 'R5072', async () => userWith('limited', 'connection limit 0')],
      ['a user who may make no schema', 'R5065', async () => userWith('poor', '')],
      [
        'a user with read permission only',
        'R5065',
        async () => {
          const address = await changed('')
          const user = await userWith('reader', '')
          await server.sql(
            `grant usage on schema ${schemaOf(address)} to reader; grant select on all tables in schema ${schemaOf(address)} to reader`,
          )
          return user.replace(schemaOf(user), schemaOf(address))
        },
      ],
      [
        'a read-only server',
        'R5075',
        async () => userWith('standby', 'superuser; alter role standby set default_transaction_read_only = on'),
      ],
    ])('%s: %s, and no password is repeated', async (_what, code, prepare) => {
      const address = await prepare()
      const before = await everything()
      const { text, ...fault } = await faultOf(() => opened(address, { patience: 300 }).hello(worker, NOW, TTL))
      expect(fault.code, text).toBe(code)
      for (const password of [secret, encodeURIComponent(secret), 'p@ss/w:rd', 'p%40ss', 'w%3Ard']) expect(text).not.toContain(password)
      expect(await everything()).toEqual(before)
    })

    const everything = () =>
      server.sql(`select table_schema, table_name from information_schema.tables where table_schema like 'store%' order by 1, 2`)

    async function changed(sql: string): Promise<string> {
      const address = server.address()
      const store = openPostgres(address)
      await store.runs()
      await store.close()
      await server.sql(sql.replaceAll('S.', `${schemaOf(address)}.`))
      return address
    }

    async function userWith(name: string, rights: string): Promise<string> {
      await server.sql(`create role ${name} login password '${secret}' ${rights}`)
      return server.address({ user: name, password: secret })
    }

    it('a user with permissions on the tables only can use an existing store', async () => {
      const address = server.address()
      await opened(address).runs()
      const schema = schemaOf(address)
      await server.sql(`create role plain login password 'x'; grant usage on schema ${schema} to plain;
        grant select, insert, update, delete on all tables in schema ${schema} to plain`)
      const store = opened(server.address({ user: 'plain', password: 'x', schema }))
      const lease = await begun(store)
      expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    })

    it('an empty schema becomes a store; several processes at the same time create one', async () => {
      const address = server.address()
      await server.sql(`create schema ${schemaOf(address)}`)
      const stores = Array.from({ length: 8 }, () => opened(address))
      expect(await Promise.all(stores.map(async (store) => store.runs()))).toEqual(stores.map(() => []))
    })

    it('a store that could not be reached works when it can be reached', async () => {
      const store = opened(server.address({ database: 'later' }))
      expect((await faultOf(() => store.runs())).code).toBe('R5064')
      await server.sql('create database later')
      expect(await store.runs()).toEqual([])
    })

    it('without the package pg, the fault says what to install', () => {
      const hooks = `import { registerHooks } from 'node:module'
        registerHooks({ resolve: (name, context, next) => next(name === 'pg' ? 'pg-is-not-here' : name, context) })`
      const script = `const { openPostgres } = await import(process.argv[1])
        await openPostgres('postgres://ana:${encodeURIComponent(secret)}@localhost/db').runs().catch((fault) => console.log(fault.toString()))`
      const said = execFileSync(
        process.execPath,
        [
          '--import',
          `data:text/javascript,${encodeURIComponent(hooks)}`,
          '--input-type=module',
          '-e',
          script,
          new URL('../../src/store/index.ts', import.meta.url).href,
        ],
        { encoding: 'utf8' },
      )
      expect(said).toBe('error R5060  a store in Postgres needs the package pg\n  fix    npm install pg\n')
    })
  })

  describe('in use', () => {
    it('a run whose row is locked by another user: R5025, and the call can be tried again', async () => {
      const address = server.address()
      const store = opened(address, { patience: 100 })
      const lease = await begun(store)
      const locked = server.sql(`begin; select from ${schemaOf(address)}.run for update; select pg_sleep(60)`).catch(() => undefined)
      await expect
        .poll(async () => (await server.sql(`select from pg_locks where mode = 'RowShareLock'`)).length, { timeout: 20_000 })
        .toBeGreaterThan(0)
      expect(await faultOf(() => store.commit([batchOf(lease, 1)]))).toMatchObject({ code: 'R5025', verdict: 'retry' })
      expect(await store.journal(RUN)).toEqual([])
      await server.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
      )
      await locked
      expect(await store.commit([batchOf(lease, 1)])).toEqual([])
    })

    it('a schema that is dropped: R5068, and nothing is created again', async () => {
      const address = server.address()
      const store = opened(address)
      const lease = await begun(store)
      await server.sql(`drop schema ${schemaOf(address)} cascade`)
      for (const work of [() => store.commit([batchOf(lease, 1)]), () => store.read(RUN)]) expect((await faultOf(work)).code).toBe('R5068')
      expect(await server.sql('select from pg_namespace where nspname = $1', [schemaOf(address)])).toEqual([])
    })

    it('a closed store does nothing more and can be closed again', async () => {
      const connections = () => server.sql(`select from pg_stat_activity where application_name = 'reflex'`)
      const store = opened()
      const lease = await begun(store)
      await store.close()
      await store.close()
      const calls: (() => unknown)[] = [
        () => store.hello(worker, NOW, TTL),
        () => store.create(rowOf('other'), worker),
        () => store.claim(RUN, worker, NOW),
        () => store.release(lease),
        () => store.commit([batchOf(lease, 1)]),
        () => store.read(RUN),
        () => store.runs(),
        () => store.post(RUN, messageOf('m')),
        () => store.due(NOW),
        () => store.append('a', 'k', 1, NOW),
        () => store.appendAll('a', 'k', [{ name: 'x', value: 1 }], NOW),
        () => store.latest('a'),
        () => store.compact('a', { before: NOW }),
        () => store.postAll(RUN, [messageOf('m')]),
      ]
      for (const call of calls) expect((await faultOf(call)).code).toBe('R5029')
      await expect.poll(connections, { timeout: 20_000 }).toEqual([])
    })

    it('waits for the disk and sees other commits, whatever the defaults of the server', async () => {
      await server.sql(`create role lax login superuser password 'x'; alter role lax set synchronous_commit = off;
        alter role lax set default_transaction_isolation = 'serializable'`)
      const address = server.address({ user: 'lax', password: 'x' })
      const store = opened(address)
      const lease = await begun(store)
      const schema = schemaOf(address)
      await server.sql(`create table ${schema}.seen (said text);
        create function ${schema}.see() returns trigger language plpgsql as $$ begin
          insert into ${schema}.seen values (current_setting('synchronous_commit') || ' ' || current_setting('transaction_isolation')); return new;
        end $$;
        create trigger see after update on ${schema}.run for each row execute function ${schema}.see()`)
      expect(await store.commit([batchOf(lease, 1)])).toEqual([])
      expect(await server.sql(`select said from ${schema}.seen`)).toEqual([{ said: 'on read committed' }])
    })
  })
})

describe('the address of a store in Postgres', () => {
  it.each([
    ['postgres://ana:secret@host:5433/db', 'postgres://ana@host:5433/db'],
    ['postgresql://host/db?schema=reflex', 'postgresql://host/db'],
    ['postgres://ana:secret@host/db?schema=other&sslmode=disable&password=secret', 'postgres://ana@host/db?schema=other'],
    ['postgres://ana@host/db?connections=3', 'postgres://ana@host/db'],
    ['postgres:///db?host=/run/postgresql&user=ana', 'postgres:///db?host=%2Frun%2Fpostgresql&user=ana'],
    ['POSTGRES://ana:s%40cret@host', 'postgres://ana@host'],
  ])('%s is shown as %s', async (address, name) => {
    const store = openStore(address)
    expect([store.durable, store.name]).toEqual([true, name])
    await store.close()
  })

  it.each([
    'postgres:',
    'postgres:secret',
    'postgres://ana:se cret@[host/db',
    'postgres://ana:sec#ret@host/db',
    'postgres://ana:12/secret@host/db',
    'postgres://ana:12?secret@host/db',
    'postgres://ana:100%secret@host/db',
    'postgres://host/db?secrte=1',
    'postgres://ana:secret@host/db?schema=Reflex',
    'postgres://ana:secret@host/db?schema=pg_other',
    'postgres://ana:secret@host/db?schema=a.b',
    'postgres://ana:secret@host/db?schema=',
    'postgres://ana:secret@host/db?connections=2',
    'postgres://ana:secret@host/db?connections=101',
    'postgres://ana:secret@host/db?connections=many',
    'postgres://ana:secret@host/db?partitions=0',
    'postgres://ana:secret@host/db?partitions=1e2',
    `postgres://ana:secret@host/db?schema=${'a'.repeat(64)}`,
  ])('%s is refused, and no password is repeated', async (address) => {
    const { code, text } = await faultOf(() => openStore(address))
    expect(code).toBe('R5061')
    expect(text).not.toContain('secret')
  })
})

describe('the errors of Postgres', () => {
  const said = (code: string) => Object.assign(new Error('said'), { severity: 'ERROR', code })

  it.each([
    ['28P01', 'R5063', 'R5063', 'R5063'],
    ['3D000', 'R5064', 'R5064', 'R5064'],
    ['42501', 'R5065', 'R5065', 'R5065'],
    ['25006', 'R5075', 'R5075', 'R5075'],
    ['26000', 'R5074', 'R5074', 'R5074'],
    ['42P05', 'R5074', 'R5074', 'R5074'],
    ['42P01', 'R5068', 'R5068', 'R5068'],
    ['XX001', 'R5068', 'R5068', 'R5068'],
    ['23505', 'R5068', 'R5068', 'R5068'],
    ['55P03', 'R5025', 'R5025', 'R5025'],
    ['53100', 'R5005', 'R5005', 'R5005'],
    ['53300', 'R5072', 'R5072', 'R5072'],
    ['57014', 'R5072', 'R5072', 'R5072'],
    ['40P01', 'R5072', 'R5072', 'R5072'],
    ['57P01', 'R5062', 'R5069', 'R5069'],
    ['57P03', 'R5062', 'R5069', 'R5069'],
    ['54000', 'R5073', 'R5073', 'R5073'],
  ])('%s becomes %s, %s or %s when it opens, reads or writes', (state, ...codes) => {
    const all = (['open', 'read', 'write'] as const).map((doing) => postgresFault(said(state), 'postgres://host/db', doing))
    expect(all.map(({ code }) => code)).toEqual(codes)
    if (state === '53100')
      expect(all[2]).toMatchObject({
        message: expect.stringContaining('is kept') as string,
        fix: expect.stringContaining('make room') as string,
      })
    for (const fault of all) expect(fault).toMatchObject({ cause: 'said', fix: expect.stringMatching(/\w/) as string })
    expect(isLost(said(state))).toBe(state.startsWith('57P'))
  })

  it('has its own pages, and each says what to do', () => {
    for (const [code, page] of Object.entries(postgresFaults.entries)) {
      expect(code).toMatch(/^R50[67]\d$/)
      for (const text of [page.title, page.means, page.when, page.fix]) expect(text.length).toBeGreaterThan(8)
    }
  })
})
