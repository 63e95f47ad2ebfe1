/**
 * `npm run crowd`: 10,000 suspended runs, of which 1,000 are answered at once while no worker lives; then one carries on.
 * Measures how long it takes and how much memory it needs, over SQLite and, where a server can be started, over Postgres.
 * Memory is what the process has of the machine. The exit code is 1 if anything was lost.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../packages/reflex/src/store/index.ts'
import { crowd, type CrowdMoment } from '../packages/reflex/test/composition/crowd.ts'
import { postgresPrograms, PostgresServer } from '../packages/reflex/test/store/postgres-server.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    answered: { type: 'string', default: '1000' },
    store: { type: 'string' },
  },
})
const [runs, answered] = [Number(values.runs), Number(values.answered)]
const MEGABYTE = 2 ** 20

async function main(): Promise<number> {
  // Each store in a process of its own, so that one's memory is not counted for the other.
  if (values.store === undefined) {
    const codes = ['sqlite', 'postgres'].map((store) => {
      const words = ['--expose-gc', import.meta.filename, '--store', store, '--runs', values.runs, '--answered', values.answered]
      return spawnSync(process.execPath, words, { stdio: 'inherit' }).status
    })
    return codes.every((code) => code === 0) ? 0 : 1
  }
  const missing = postgresPrograms()
  if (values.store === 'postgres' && 'missing' in missing) {
    console.log(`postgres  left out: ${missing.missing}`)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'reflex-crowd-'))
  const server = values.store === 'postgres' ? await PostgresServer.start(true) : undefined
  try {
    const address = server?.address() ?? join(folder, 'reflex.db')
    console.log(`${values.store}  ${runs} suspended runs, ${answered} answered at once`)
    const { completed, suspended, wrong, held } = await crowd({ workdir: folder, open: () => openStore(address), runs, answered, told })
    for (const line of wrong.slice(0, 10)) console.log(`  ${line}`)
    const lost = wrong.length + Math.abs(answered - completed.length) + Math.abs(runs - answered - suspended)
    console.log(`  ${completed.length} completed, ${suspended} suspended, ${held} held: ${lost} lost`)
    return lost === 0 && held === 0 ? 0 : 1
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function told({ what, ms, most, now, held }: CrowdMoment): void {
  const [high, low, values] = [most, now, held].map((bytes) => `${Math.round(bytes / MEGABYTE)} MB`.padStart(7))
  console.log(`  ${what.padEnd(32)} ${`${(ms / 1000).toFixed(2)} s`.padStart(9)}   at most ${high}   then ${low}   of it values ${values}`)
}

process.exitCode = await main()
