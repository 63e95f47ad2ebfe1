/**
 * What a user gets: the packed package, installed in an empty project without optional peers. Every door
 * imports, the command answers, the first example runs, and the whole stays small.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Counts, NOTHING, report, summary } from './counts.ts'
import { PACKAGE } from './exports.ts'
import { npm, run } from './npm.ts'
import { pack, packCluster } from './pack.ts'

const ROOT = resolve(import.meta.dirname, '..')
const SIZE_LIMIT_MB = 38
const COMPLETED = 0
const SUSPENDED = 75
const UNABLE = 3

const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
  name: string
  version: string
  exports: Record<string, string>
}
const folder = mkdtempSync(join(tmpdir(), 'reflex-bare-'))
const project = join(folder, 'project')
let tarball = ''

interface Step {
  readonly name: string
  readonly act: () => void | Promise<void>
  /** Without it the steps that follow make no sense. */
  readonly needed?: true
}

const STEPS: readonly Step[] = [
  { name: 'builds and packs', act: builds, needed: true },
  { name: 'publint finds nothing', act: () => void tool('publint/src/cli.js', [tarball, '--strict']) },
  { name: 'every door has its types', act: () => void tool('@arethetypeswrong/cli/dist/index.js', [tarball, '--profile', 'esm-only']) },
  { name: 'installs', act: install, needed: true },
  ...Object.keys(manifest.exports).map((door) => ({ name: `imports ${door.replace('.', manifest.name)}`, act: () => importDoor(door) })),
  { name: 'reflex --version', act: printsVersion },
  { name: 'reflex serve has its page', act: servesPage },
  { name: 'the first example runs', act: runsExample },
  { name: 'the page "In your own project" holds', act: followsPage },
  { name: `is smaller than ${SIZE_LIMIT_MB} MB`, act: isSmall },
  { name: 'the cluster packs and installs', act: installsCluster },
  { name: 'a worker loads the cluster', act: loadsCluster },
]

async function builds(): Promise<void> {
  tarball = await pack(join(folder, 'stage'))
}

function tool(file: string, args: readonly string[]): string {
  return run(process.execPath, [resolve(ROOT, 'node_modules', file), ...args], folder)
}

function install(): void {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  npm(['install', tarball, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], project)
}

async function installsCluster(): Promise<void> {
  const packed = await packCluster(join(folder, 'cluster'))
  tool('publint/src/cli.js', [packed, '--strict'])
  npm(['install', packed, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], project)
}

/** No server answers there: what is found out is that the package is loaded. */
function loadsCluster(): void {
  const { status, stderr } = reflex(['worker', '--cluster', '--store', 'postgres://nobody@127.0.0.1:1/none'])
  if (status !== UNABLE || stderr.includes('R5140') || !/R5\d\d\d/.test(stderr)) throw new Error(`exit ${status}, printed ${stderr}`)
}

function importDoor(door: string): void {
  const code = `const door = await import('${manifest.name}${door.slice(1)}'); if (Object.keys(door).length === 0) throw new Error('no value behind this door')`
  run(process.execPath, ['--input-type=module', '--eval', code], project)
}

function reflex(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(project, `node_modules/${manifest.name}/bin/reflex.js`), ...args], {
    cwd: project,
    encoding: 'utf8',
    input: '',
  })
}

function printsVersion(): void {
  const { status, stdout, stderr } = reflex(['--version'])
  if (status !== 0 || !stdout.includes(manifest.version)) throw new Error(`exit ${status}, printed ${stdout}${stderr}`)
}

/** Starts the server of the installed package, and reads its page with everything that the page names. */
async function servesPage(): Promise<void> {
  const bin = join(project, `node_modules/${manifest.name}/bin/reflex.js`)
  const server = spawn(process.execPath, [bin, 'serve', '--port', '0', '--json', '--store', 'memory:'], { cwd: project })
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(line.toString()) as { readonly url: string }
    const pending = ['/']
    const seen = new Set<string>()
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (seen.has(path)) continue
      seen.add(path)
      const response = await fetch(`${url}${path}`)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
      for (const [, name = ''] of text.matchAll(/(?:from '\.|(?:src|href)="\/page)\/([\w-]+\.(?:js|css|svg))['"]/g))
        pending.push(`/page/${name}`)
    }
    if (seen.size < 10) throw new Error(`the page has only ${[...seen].join(', ')}`)
  } finally {
    server.kill()
  }
}

function runsExample(): void {
  cpSync(resolve(ROOT, 'examples/01-release-review'), join(project, '01-release-review'), { recursive: true })
  const { status, stdout, stderr } = reflex(['run', '01-release-review', '--input', 'repo=.'])
  if (status !== COMPLETED && status !== SUSPENDED) throw new Error(`exit ${status}, printed ${stdout}${stderr}`)
}

/** Does what README says under "In your own project": its files, its commands, its types. */
function followsPage(): void {
  const [, page = ''] = readFileSync(resolve(ROOT, 'README.md'), 'utf8').split('## In your own project')
  const blocks = [...(page.split('\n## ')[0] ?? '').matchAll(/^```(\w+) (\S+)\n([\s\S]*?)^```/gm)]
  for (const [, language, name = '', text = ''] of blocks) if (language === 'ts') writeFileSync(join(project, name), text)
  const compiler = resolve(ROOT, 'node_modules/typescript/bin/tsc')
  const files = blocks.flatMap(([, language, name = '']) => (language === 'ts' ? [name] : []))
  const types = ['--typeRoots', resolve(ROOT, 'node_modules/@types'), '--types', 'node']
  run(
    process.execPath,
    [compiler, '--noEmit', '--strict', '--module', 'nodenext', '--allowImportingTsExtensions', ...types, ...files],
    project,
  )
  const lines = blocks.flatMap(([, language, , text = '']) => (language === 'sh' ? text.trim().split('\n') : []))
  for (const line of lines.map((one) => one.replace(/\s+#.*$/, ''))) {
    // The tarball is installed already, in a project of ES modules.
    if (line.startsWith('npm ')) continue
    const [program = '', ...args] = line.replace(/^npx /, '').split(' ')
    const { status, stdout, stderr } =
      program === 'reflex' ? reflex(args) : spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
    if (status !== COMPLETED && status !== SUSPENDED) throw new Error(`${line}: exit ${status}, printed ${stdout}${stderr}`)
  }
}

function isSmall(): void {
  const modules = join(project, 'node_modules')
  const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map((file) => statSync(join(modules, file)))
  const megabytes = files.filter((file) => file.isFile()).reduce((sum, file) => sum + file.size, 0) / 1e6
  console.log(`  ${megabytes.toFixed(1)} MB`)
  if (megabytes >= SIZE_LIMIT_MB) throw new Error(`${megabytes.toFixed(1)} MB in node_modules`)
}

async function runSteps(): Promise<Counts> {
  const counts = { ...NOTHING }
  let broken = false
  for (const { name, act, needed } of STEPS) {
    if (broken) {
      counts.skipped++
      console.log(`– ${name}`)
      continue
    }
    try {
      await act()
      counts.passed++
      console.log(`✓ ${name}`)
    } catch (error) {
      counts.failed++
      broken = needed === true
      console.log(`✗ ${name}\n${String(error)}`)
    }
  }
  return counts
}

try {
  const counts = await runSteps()
  console.log(summary(counts))
  report(counts)
  process.exitCode = counts.failed > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}
