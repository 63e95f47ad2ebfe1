/**
 * Makes the histories of this release, those that are not there yet: `node scripts/histories.ts [NAME...]`. A history that
 * was published is never made again: it is what a release wrote, and all later ones must read it. Time and ids come from a
 * still clock, and everything lies in a folder of a fixed name, so that the same release writes the same.
 */
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Reflex, type ReflexOptions } from '../packages/reflex/src/index.ts'
import { FORMAT } from '../packages/reflex/src/kernel/index.ts'
import { virtualHost } from '../packages/reflex/src/testing/index.ts'
import { HISTORIES, writeHistory } from '../packages/reflex/test/histories/history.ts'
import { ticking } from '../packages/reflex/test/histories/ticking.ts'
import { examples } from './histories/examples.ts'
import { graphs } from './histories/graphs.ts'
import { open } from './histories/open.ts'
import type { History, Stage } from './histories/stage.ts'
import { pipelines } from './histories/pipelines.ts'
import { skills } from './histories/skills.ts'
import { workflows } from './histories/workflows.ts'

const PLACE = '/tmp/reflex-histories'

function stageOf(name: string): Stage & { close(): Promise<void> } {
  const folder = join(PLACE, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const workdir = realpathSync(folder)
  const host = virtualHost()
  const lives: Reflex[] = []
  return {
    folder: workdir,
    host,
    live(options: ReflexOptions = {}) {
      const worker = { id: `life ${lives.length + 1}`, host: 'release.example.org', pid: 4_000_000 + lives.length }
      const environment = { PATH: process.env['PATH'], HOME: workdir }
      const surroundings = { host, worker, cwd: workdir, environment, actor: 'ana' }
      const reflex = new Reflex({ workdir, store: join(workdir, 'reflex.db'), surroundings, ...options })
      reflex.runtime.programs.addKind(ticking)
      lives.push(reflex)
      return reflex
    },
    async close() {
      for (const reflex of lives) await reflex.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function make([name, { about, live, then }]: readonly [string, History]): Promise<void> {
  const path = `${FORMAT}/${name}`
  if (existsSync(join(HISTORIES, path))) return console.log(`  ${path} stays`)
  const stage = stageOf(name)
  const run = await live(stage)
  await writeHistory(path, about, stage.live(), run, then)
  await stage.close()
  console.log(`  ${path} made`)
}

const wanted = process.argv.slice(2)
const all = Object.entries({ ...examples, ...workflows, ...pipelines, ...graphs, ...skills, ...open })
for (const history of all) if (wanted.length === 0 || wanted.includes(history[0])) await make(history)
