import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { faults } from '../faults.ts'
import { readPolicy } from '../policy/index.ts'
import { nearestStore } from '../home.ts'
import { Reflex } from '../reflex.ts'
import type { Console } from './console.ts'
import { fileReader, type ReadFile } from './grammar.ts'
import type { CarryFlags } from './options.ts'

/** A command with the store open. */
export interface Session {
  readonly console: Console
  readonly reflex: Reflex
  readonly read: ReadFile
}

/** Nothing that looks makes a store: where there is none, there are no runs. */
export async function withStoredRuns(console: Console, flags: CarryFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const { cwd, environment } = console.world.surroundings
  const named = flags.store ?? environment['REFLEX_STORE']
  if (named === undefined) return withReflex(console, nearestStore(cwd) === undefined ? { ...flags, store: 'memory:' } : flags, work)
  const file = named.replace(/^sqlite:/, '')
  if (!/^[a-z][a-z0-9+.-]+:/i.test(file) && !existsSync(resolve(cwd, file)))
    throw faults.make('R1021', `there is no store ${named}`, { file: named, fix: 'name the store in which the runs are' })
  return withReflex(console, flags, work)
}

/** Opens the store, does the work, and closes it whatever happens. */
export async function withReflex(console: Console, flags: CarryFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const { world } = console
  const { surroundings } = world
  const read = fileReader(
    (name) => resolve(surroundings.cwd, name),
    () => world.readInput(),
  )
  const policy = await Promise.all(policyFiles(flags, surroundings.environment).map(async (file) => readPolicy(await read(file), file)))
  const reflex = new Reflex({
    surroundings,
    policy,
    ...(flags.store === undefined ? {} : { store: flags.store }),
    ...(flags.by === undefined ? {} : { actor: flags.by }),
    ...(flags.programs === undefined ? {} : { programs: flags.programs }),
  })
  try {
    return await work({ console, reflex, read })
  } finally {
    await reflex.close()
  }
}

function policyFiles({ policy }: CarryFlags, environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (policy !== undefined) return policy
  const named = environment['REFLEX_POLICY']
  return named === undefined || named === '' ? [] : [named]
}
