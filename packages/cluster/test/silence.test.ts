import { describe, expect, it, onTestFinished } from 'vitest'
import { parsePostgresAddress } from 'reflex-runtime/store'
import { PostgresServer, postgresPrograms } from '../../reflex/test/store/postgres-server.ts'
import { connect } from '../src/connection.ts'

const programs = postgresPrograms()

describe.skipIf('missing' in programs)('a connection of a cluster on which nothing passes', () => {
  it('is given up after a while, also in a statement of DBOS, and the next statement has another one', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const connection = await connect(parsePostgresAddress(server.address()), 2000)
    onTestFinished(() => connection.close())
    // DBOS performs its statements by the pool, without a limit.
    await expect(connection.pool.query('select pg_sleep(3600)')).rejects.toThrow('terminated unexpectedly')
    expect(await connection.query('select 1 as one')).toEqual([{ one: 1 }])
  })
})
