import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { pricesOf } from '../../app/assembly.ts'
import { type Config, readConfig } from '../../app/config.ts'
import { findStore, openKnown } from '../../app/home.ts'
import { KnownStores } from '../../app/known-stores.ts'
import { type Fault, isFault } from '../../kernel/index.ts'
import { McpServers } from '../../mcp/index.ts'
import { readText } from '../../programs/read-text.ts'
import { accessVariables, createModels, PRICED_ON, providerAccess, type ProviderAccess, simulatedModel } from '../../models/index.ts'
import { readPolicy, readTrust } from '../../policy/index.ts'
import { openStore } from '../../store/index.ts'
import { LAYOUT } from '../../store/schema.ts'
import { suggest } from '../../text/index.ts'
import type { Console } from '../console.ts'
import type { Check } from './check.ts'
import { clusterChecks } from './cluster.ts'
import { interruptedChecks } from './interrupted.ts'
import { skillChecks } from './skills.ts'
import type { ContinueFlags } from '../options.ts'
import { size } from '../units.ts'
import { counted } from '../../protocol/plain.ts'

const OLDEST_NODE = [22, 13] as const
const MOST_RUNS = 10_000

/** Returns the settings of the folder, or the reason why they cannot be read. */
export function checkConfig({ world }: Console): { readonly config: Config | undefined; readonly checks: readonly Check[] } {
  try {
    const config = readConfig(world.surroundings.cwd)
    const ignored = config.warnings.map((found) => ({ ...failedCheck('settings', found), mark: 'warns' as const }))
    return { config, checks: ignored }
  } catch (thrown) {
    return { config: undefined, checks: [failedCheck('settings', thrown)] }
  }
}

/**
 * Checks this machine and returns the results, the most important first. It creates nothing, changes nothing and sends
 * nothing.
 */
export async function checksOf(console: Console, flags: ContinueFlags, config: Config | undefined): Promise<Check[]> {
  return [
    nodeCheck(console),
    ...(await storeChecks(console, flags)),
    storesCheck(console),
    ...ruleChecks(console, flags),
    ...serverChecks(console, flags, config),
    modelCheck(console, config),
    pricesCheck(console),
    terminalCheck(console),
    secretCheck(console),
    toolCheck(console, 'git', 'the tools that read history need git'),
    toolCheck(console, 'bwrap', 'bubblewrap is not installed; only trusted runs can run commands'),
  ]
}

/** Returns a fault as a failed check. */
function failedCheck(name: string, thrown: unknown): Check {
  if (!isFault(thrown)) throw thrown
  const { code, message, fix, file, line }: Fault = thrown
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `
  return { name, mark: 'failed', text: `${code} ${message.startsWith(file ?? '\0') ? '' : place}${message}`, fix }
}

function nodeCheck({ world: { machine } }: Console): Check {
  const [major = 0, minor = 0] = machine.node.split('.').map(Number)
  const old = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  const text = `${machine.node} on ${machine.system}`
  return old
    ? { name: 'node', mark: 'failed', text: `${text}, older than ${OLDEST_NODE.join('.')}`, fix: 'npm install node@24' }
    : { name: 'node', mark: 'done', text }
}

async function storeChecks(console: Console, flags: ContinueFlags): Promise<Check[]> {
  const { surroundings } = console.world
  const { cwd, environment } = surroundings
  const named = flags.store ?? environment['REFLEX_STORE']
  if (named?.startsWith('memory:')) return [{ name: 'store', mark: 'done', text: 'in memory; runs end with their process' }]
  try {
    const found = named === undefined ? findStore(cwd, new KnownStores(surroundings)) : undefined
    const file = found?.path ?? named?.replace(/^sqlite:/, '') ?? ''
    const server = /^[a-z][a-z0-9+.-]+:/i.test(file)
    const path = resolve(cwd, file)
    if (!server && !existsSync(path)) return [freshStore(path, console.nearPath(path))]
    const store = server ? openStore(file) : openKnown(path, found?.identity)
    try {
      const runs = await store.runs({ limit: MOST_RUNS + 1 })
      const many = runs.length > MOST_RUNS ? `more than ${counted(MOST_RUNS, 'run')}` : counted(runs.length, 'run')
      // An address is shown without its password.
      const facts = server ? [store.name, many] : [console.nearPath(path), `layout ${LAYOUT}`, many, ...sizes(path)]
      const text = facts.join(' · ')
      const within = [
        ...(await interruptedChecks(console, store, runs)),
        ...(await skillChecks(console, store)),
        ...(await clusterChecks(console, file, store.name)),
      ]
      if (!('readOnly' in store && store.readOnly)) return [{ name: 'store', mark: 'done', text }, ...within]
      const readOnly = `${text} · read-only: its runs can be shown, not continued`
      return [{ name: 'store', mark: 'warns', text: readOnly, fix: 'name another store: --store PATH' }, ...within]
    } finally {
      await store.close()
    }
  } catch (thrown) {
    return [failedCheck('store', thrown)]
  }
}

/** Checks that this computer can remember the stores that the user has made or named. */
function storesCheck({ world: { surroundings } }: Console): Check {
  const stores = new KnownStores(surroundings)
  const { folder } = stores
  if (stores.canRemember()) return { name: 'stores', mark: 'done', text: `the list of stores that you made or named is in ${folder}` }
  const why = folder === undefined ? 'HOME names no folder' : `${folder} cannot be written`
  return {
    name: 'stores',
    mark: 'warns',
    text: `${why}, so a store in a folder above is used, and its origin is not checked`,
    fix: 'export XDG_STATE_HOME=DIR',
  }
}

function sizes(path: string): readonly string[] {
  return [size(bytesOf(path)), `log ${size(bytesOf(`${path}-wal`))}`]
}

/** Passes if there is no store but one can be made. */
function freshStore(path: string, near: string): Check {
  let folder = dirname(path)
  while (!existsSync(folder)) folder = dirname(folder)
  if (canAccess(folder, constants.W_OK)) return { name: 'store', mark: 'done', text: `none yet; the first run creates ${near}` }
  return { name: 'store', mark: 'failed', text: `none yet, and ${folder} is not writable`, fix: 'name another store: --store PATH' }
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Checks that the operator's settings of trust and policy can be read before a run begins. */
function ruleChecks({ world }: Console, { policy }: ContinueFlags): Check[] {
  const { cwd, environment } = world.surroundings
  const { REFLEX_TRUST: trust, REFLEX_POLICY: named } = environment
  const files = policy ?? (named === undefined || named === '' ? [] : [named])
  return [
    ...attemptCheck('trust', () => (trust === undefined ? undefined : `REFLEX_TRUST=${readTrust(trust, 'REFLEX_TRUST')}`)),
    ...files.flatMap((file) => attemptCheck('policy', () => policyText(file, resolve(cwd, file)))),
  ]
}

/** Checks which MCP servers may be started, and that their lists of tools are there. It starts none. */
function serverChecks({ world }: Console, flags: ContinueFlags, config: Config | undefined): Check[] {
  const { cwd, environment, host } = world.surroundings
  const policy = policyNames(flags, environment).flatMap((file) => {
    try {
      return [{ ...readPolicy(readText(resolve(cwd, file)), resolve(cwd, file)) }]
    } catch (thrown) {
      // The check of the policy reports it.
      if (isFault(thrown)) return []
      throw thrown
    }
  })
  const { file, servers } = config ?? {}
  const proposed = file === undefined || servers === undefined ? undefined : { file, servers }
  const machine = { host, workdir: cwd, environment, sandbox: { host, environment } }
  return new McpServers(proposed, policy, machine, () => null).states().map(({ name, shown, tools, fault }): Check => {
    if (fault === undefined) return { name: 'mcp', mark: 'done', text: `${name}: ${counted(tools.length, 'tool')} of ${shown}` }
    return { name: 'mcp', mark: 'warns', text: `${fault.code} ${fault.message}`, fix: fault.fix }
  })
}

function policyNames({ policy }: ContinueFlags, { REFLEX_POLICY: named }: Readonly<Record<string, string | undefined>>): readonly string[] {
  return policy ?? (named === undefined || named === '' ? [] : [named])
}

function policyText(file: string, path: string): string {
  const { allow, deny } = readPolicy(readText(path), file)
  return `${file} allows ${allow.length} and denies ${deny.length}`
}

function attemptCheck(name: string, read: () => string | undefined): Check[] {
  try {
    const text = read()
    return text === undefined ? [] : [{ name, mark: 'done', text }]
  } catch (thrown) {
    return [failedCheck(name, thrown)]
  }
}

/**
 * Checks which model is configured, that its name and the base URL are valid, and that its package and its key are
 * present. It loads no package and calls no model.
 */
function modelCheck({ world }: Console, config: Config | undefined): Check {
  const { environment, host } = world.surroundings
  const set = (name: string): string | undefined => (environment[name] === '' ? undefined : environment[name])
  const named = set('REFLEX_MODEL') ?? config?.model
  const keys = accessVariables(environment)
  const packages = providerPackages()
  const inventory = [`packages ${packages.join(', ') || 'none'}`, `keys ${keys.join(', ') || 'none'}`].join(' · ')
  const models = createModels({ host, environment, model: named, models: { simulated: simulatedModel() }, guess: suggest })
  const wrong = models.check()
  if (wrong !== undefined) return { ...failedCheck('model', wrong), mark: 'warns' }
  if (named === undefined)
    return {
      name: 'model',
      mark: 'skipped',
      text: `none is configured; nodes that ask a model need one · ${inventory}`,
      fix: 'export REFLEX_MODEL=openai:gpt-5-mini',
    }
  if (named === 'simulated') return { name: 'model', mark: 'done', text: 'simulated: Reflex generates the replies, no model is called' }
  const provider = /^([a-z][a-z0-9-]*):/.exec(named)?.[1]
  const known = providerAccess(named, environment)
  const usesServer = known === undefined && set('REFLEX_BASE_URL') !== undefined
  const wanted = usesServer || provider === undefined ? 'openai-compatible' : (known?.package ?? provider).replace('@ai-sdk/', '')
  if (!packages.includes(wanted))
    return {
      name: 'model',
      mark: 'warns',
      text: `${named} needs a package that is not installed · ${inventory}`,
      fix: `npm install @ai-sdk/${wanted}`,
    }
  // A provider that is not known by name may sign a request without a key.
  if (known?.missing !== undefined)
    return { name: 'model', mark: 'warns', text: `${named} has no key · ${inventory}`, fix: missingFix(known.missing) }
  return { name: 'model', mark: 'done', text: `${named} · ${inventory}` }
}

function missingFix({ name, fix }: NonNullable<ProviderAccess['missing']>): string {
  return fix === `set ${name}` ? `export ${name}=${name.endsWith('KEY') ? 'KEY' : 'VALUE'}` : fix
}

/** The age in days above which prices may be wrong. */
const OLDEST_PRICES_DAYS = 180

/**
 * Checks the age of the prices with which the costs of runs are computed: those of this version, or those of the user's
 * file.
 */
function pricesCheck({ world: { surroundings } }: Console): Check {
  const { cwd, environment, host } = surroundings
  try {
    const own = pricesOf(environment, cwd)
    const date = own?.date ?? PRICED_ON
    const days = Math.max(0, Math.floor((host.now() - Date.parse(date)) / 86_400_000))
    const text = `taken on ${date}, ${counted(days, 'day')} ago${own === undefined ? '' : ` · ${environment['REFLEX_PRICES'] ?? ''}`}`
    if (days <= OLDEST_PRICES_DAYS) return { name: 'prices', mark: 'done', text }
    return { name: 'prices', mark: 'warns', text: `${text}: costs may be wrong`, fix: 'export REFLEX_PRICES=prices.json' }
  } catch (thrown) {
    return failedCheck('prices', thrown)
  }
}

/** Returns the installed packages of providers, searched in the folders where this package finds its dependencies. */
function providerPackages(): string[] {
  const found = new Set<string>()
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const scope = join(folder, 'node_modules', '@ai-sdk')
    if (existsSync(scope)) for (const name of readdirSync(scope)) found.add(name)
  }
  return [...found].filter((name) => !['provider', 'provider-utils', 'gateway'].includes(name)).sort()
}

function terminalCheck({ out }: Console): Check {
  const text = [
    out.terminal ? counted(out.columns, 'column') : 'none: plain lines, values in full',
    out.colour ? 'colours' : 'no colours',
    out.utf8 ? 'UTF-8' : 'ASCII',
  ].join(' · ')
  if (out.utf8) return { name: 'terminal', mark: 'done', text }
  return { name: 'terminal', mark: 'warns', text: `${text}: marks are letters, and graphs are lists`, fix: 'export LC_ALL=C.UTF-8' }
}

/**
 * Checks the secret with which a user of this machine proves that they gave a run more than the default trust. It never
 * shows the value.
 */
function secretCheck({ world: { machine } }: Console): Check {
  const file = join(machine.home, '.reflex', 'secret')
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined)
    return { name: 'secret', mark: 'skipped', text: `none yet; the first run with more than the default trust creates ${file}` }
  const open = !machine.system.startsWith('win32') && (stat.mode & 0o077) !== 0
  return open
    ? { name: 'secret', mark: 'warns', text: `${file} can be read by others`, fix: `chmod 600 ${file}` }
    : { name: 'secret', mark: 'done', text: file }
}

/** Finds a program of the system as a shell does, and does not start it. */
function toolCheck({ world: { machine, surroundings } }: Console, name: string, missing: string): Check {
  const ends = machine.system.startsWith('win32') ? ['.exe', '.cmd'] : ['']
  const folders = (surroundings.environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const found = folders
    .flatMap((folder) => ends.map((end) => join(folder, `${name}${end}`)))
    .find((file) => canAccess(file, constants.X_OK))
  const shown = name === 'bwrap' ? 'sandbox' : name
  return found === undefined ? { name: shown, mark: 'skipped', text: missing } : { name: shown, mark: 'done', text: found }
}

function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
