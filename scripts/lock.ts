/**
 * Completes package-lock.json. `npm ci` refuses a lock file that lacks a binary for some other system, and npm
 * leaves one out when its registry does not have it at the moment of `npm install`. `npm run lock` adds what is
 * missing by name, version and system; with no integrity, since nobody here has seen the file. With `--check`
 * it only looks, also for registry addresses, which belong to one machine.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'

interface Entry {
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Lock {
  readonly packages: Readonly<Record<string, Entry>>
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']

/** Entries for the optional dependencies that a lock file names and does not have, by their place in it. */
export function missingEntries({ packages }: Lock): Record<string, Entry> {
  const missing = Object.entries(packages).flatMap(([parent, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, version]) => /^\d/.test(version) && !reachable(packages, parent, name))
      .map(([name, version]): [string, Entry] => [
        `node_modules/${name}`,
        { version, ...systemOf(name), ...(dev === true && { dev }), optional: true },
      ]),
  )
  return Object.fromEntries(missing)
}

/** Whether a package finds another by walking up the tree, as Node does. */
function reachable(packages: Lock['packages'], parent: string, name: string): boolean {
  if (packages[`${parent}/node_modules/${name}`.replace(/^\//, '')] !== undefined) return true
  return parent !== '' && reachable(packages, parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/'))), name)
}

/** The system that a binary is for, told by its name: `@oxlint/binding-linux-arm64-musl`. */
export function systemOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const os = SYSTEMS.find((system) => words.includes(system))
  const cpu = PROCESSORS.find((processor) => words.includes(processor))
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : words.some((word) => word.startsWith('gnu')) ? 'glibc' : undefined
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(os === 'linux' && libc && { libc: [libc] }) }
}

/** The lock file with what it lacks, in npm's own order. */
export function completed(lock: Lock): Lock {
  const packages = { ...lock.packages, ...missingEntries(lock) }
  return { ...lock, packages: Object.fromEntries(Object.entries(packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))) }
}

/** What a clone on another machine would stumble over. */
export function faultsOf(lock: Lock): string[] {
  const addressed = Object.entries(lock.packages).filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
  return [
    ...Object.keys(missingEntries(lock)).map((place) => `${place} is named and missing`),
    ...addressed.map(([place]) => `${place} has a registry address`),
  ]
}

if (process.argv[1] === import.meta.filename) {
  const root = resolve(import.meta.dirname, '..')
  for (const file of ['package-lock.json', 'bench/package-lock.json'].map((name) => resolve(root, name))) {
    const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
    if (!process.argv.includes('--check')) {
      writeFileSync(file, `${JSON.stringify(completed(lock), undefined, 2)}\n`)
      continue
    }
    const faults = faultsOf(lock)
    for (const fault of faults) console.log(`error lock  ${relative(root, file)}  ${fault}`)
    if (faults.length > 0) {
      console.log('  fix: npm run lock; an address goes away when .npmrc has omit-lockfile-registry-resolved=true')
      process.exitCode = 1
    }
  }
}
