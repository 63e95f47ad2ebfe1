import { describe, expect, it, onTestFinished } from 'vitest'
import { parsePostgresAddress } from 'reflex-runtime/store'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { connect } from '../src/connection.ts'

const programs = postgresPrograms()

describe.skipIf('missing' in programs)('a connection of a cluster on which nothing passes', () => {
  it('is given up after a while, also in a statement of DBOS, and the next statement has another one', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const connection = await connect(parsePostgresAddress(server.address()))
    onTestFinished(() => connection.close())
    connection.setSilentLimit(2000)
    // DBOS performs its statements by the pool, without a limit.
    await expect(connection.pool.query('select pg_sleep(3600)')).rejects.toThrow('terminated unexpectedly')
    expect(await connection.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('keeps no row locked, although it is silent in a transaction', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const address = parsePostgresAddress(server.address())
    const [silent, other] = [await connect(address), await connect(address)]
    onTestFinished(async () => {
      await silent.close()
      await other.close()
    })
    await other.query('create table place (n int)')
    await other.query('insert into place values (1)')
    // Like a transaction of DBOS in a process that was stopped in it.
    const client = await silent.pool.connect()
    client.on('error', () => undefined)
    onTestFinished(() => client.release(true))
    await client.query('begin')
    await client.query('update place set n = 2')
    expect(await other.query('update place set n = n + 10 returning n')).toEqual([{ n: 11 }])
  })
})
