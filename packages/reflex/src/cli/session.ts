import { resolve } from 'node:path'
import { readPolicy } from '../policy/index.ts'
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

/** Opens the store, does the work, and closes it whatever happens. */
export async function withReflex(console: Console, flags: CarryFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const { world } = console
  const { surroundings } = world
  const read = fileReader((name) => resolve(surroundings.cwd, name), () => world.readInput())
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
