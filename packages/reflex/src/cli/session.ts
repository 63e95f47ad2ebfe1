import { appendFileSync, existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readDuration } from '../agents/duration.ts'
import { type Config, readConfig } from '../app/config.ts'
import { faults } from '../runs/faults.ts'
import { programFaults } from '../programs/faults.ts'
import { type PolicyFile, readPolicy } from '../policy/index.ts'
import { fsCapability } from '../tools/index.ts'
import { realPath } from '../tools/paths.ts'
import type { ReflexOptions } from '../app/options.ts'
import { Reflex } from '../app/reflex.ts'
import type { Console } from './console.ts'
import { fileReader, type ReadFile } from './grammar.ts'
import type { ContinueFlags } from './options.ts'
import { readableStore } from './store-session.ts'

/** The shortest lease, in milliseconds. A process that is busy for a moment must not lose its runs. */
const SHORTEST_LEASE = 1000

/** A command with an open store. */
export interface Session {
  readonly console: Console
  readonly reflex: Reflex
  readonly read: ReadFile
  /** Reads a file that decides in a run, such as a file of answers. Throws `R1097` for a file that a run wrote. */
  readonly readDecisionFile: ReadFile
}

/** Opens the store for a verb that starts no run. It never creates a store: if there is none, there are no runs. */
export async function withStoredRuns(console: Console, flags: ContinueFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const store = readableStore(console, flags.store)
  return withReflex(console, store === undefined ? flags : { ...flags, store }, work)
}

/** Opens the store, does the work, and closes the store, also after an error. */
export async function withReflex(console: Console, flags: ContinueFlags, work: (session: Session) => Promise<number>): Promise<number> {
  const { world } = console
  const { surroundings } = world
  const read = fileReader(
    (name) => resolve(surroundings.cwd, name),
    () => world.readInput(),
  )
  const named = policyFiles(flags, surroundings.environment)
  const policy = await Promise.all(
    named.map(async (file) => withWriteDenied(readPolicy(await read(file), file), resolve(surroundings.cwd, file))),
  )
  const config = readConfig(surroundings.cwd)
  for (const folder of flags.programs ?? [])
    if (!existsSync(resolve(surroundings.cwd, folder)))
      throw programFaults.make('R1021', `there is no folder ${folder}`, { file: folder, fix: 'name an existing folder of programs' })
  console.warn(config.warnings)
  const reflex = new Reflex({
    surroundings,
    policy,
    ...settingsOf(config, surroundings.environment),
    ...(config.servers === undefined || config.file === undefined ? {} : { mcp: { file: config.file, servers: config.servers } }),
    ...(flags.store === undefined ? {} : { store: flags.store }),
    ...(flags.record === undefined ? {} : { record: recordingWriter(resolve(surroundings.cwd, flags.record)) }),
    ...(flags.by === undefined ? {} : { actor: flags.by }),
    ...(flags.cluster === true ? { cluster: true } : {}),
    ...(flags.lease === undefined ? {} : { leaseMs: leaseOf(flags.lease) }),
    programs: [...(flags.programs ?? []), ...config.programs],
    onTrouble: (fault) => console.report(console.fault(fault)),
  })
  try {
    for (const file of named) await reflex.library.rejectWritten(resolve(surroundings.cwd, file))
    const readDecisionFile: ReadFile = async (name) => {
      if (name !== '-') await reflex.library.rejectWritten(resolve(surroundings.cwd, name))
      return read(name)
    }
    return await work({ console, reflex, read, readDecisionFile })
  } finally {
    await reflex.close()
  }
}

/** Returns the settings of the folder that neither a flag nor the environment overrides (experience 6). */
function settingsOf(
  { model, agent, trust, kinds }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Partial<ReflexOptions> {
  return {
    ...(model === undefined || environment['REFLEX_MODEL'] ? {} : { model }),
    ...(agent === undefined ? {} : { agent: { default: agent } }),
    ...kinds,
    ...(trust === undefined || environment['REFLEX_TRUST'] !== undefined ? {} : { trust }),
  }
}

function leaseOf(word: string): number {
  const ms = readDuration(word)
  if (ms !== undefined && ms >= SHORTEST_LEASE) return ms
  throw faults.make('R2031', `--lease ${JSON.stringify(word)} is not a duration of at least one second`, { fix: 'write --lease 30s' })
}

/**
 * Returns a function that appends lines to a file. It creates the file at once, so that an unwritable place is reported
 * before a model is called.
 */
function recordingWriter(file: string): (line: string) => void {
  const add = (line: string): void => {
    try {
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a regular file')
      appendFileSync(file, line, { mode: 0o600 })
    } catch (cause) {
      throw faults.make('R5040', `the recording ${file} cannot be written`, { file, cause, fix: 'name a writable file' })
    }
  }
  add('')
  return add
}

/** Denies runs to write the policy file: otherwise a run could grant rights to the next run. */
function withWriteDenied(policy: PolicyFile, file: string): PolicyFile {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
    ? { ...policy, deny: [...policy.deny, fsCapability('write', realPath(file))] }
    : policy
}

function policyFiles({ policy }: ContinueFlags, environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (policy !== undefined) return policy
  const named = environment['REFLEX_POLICY']
  return named === undefined || named === '' ? [] : [named]
}
