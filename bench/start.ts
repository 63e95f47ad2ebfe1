import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PACKAGE } from '../scripts/exports.ts'
import { run } from '../scripts/npm.ts'
import { pack } from '../scripts/pack.ts'
import { alternate, type Contestant, type Line, median } from './measure.ts'

const PIPELINE = `digraph hello { start [shape=Mdiamond]; say [prompt="say hello"]; ok [shape=diamond]; done [shape=Msquare]
  start -> say -> ok
  ok -> done [condition="outcome=success"]
  ok -> say [condition="outcome=fail"] }`

/** A pipeline that runs without a model, a tool or a person. */
const CONSTANT = `digraph constant { start [shape=Mdiamond]; done [shape=Msquare]
  say [type=transform, transform=constant, expression="hello", output_key="value"]
  start -> say -> done }`

const HELLO = {
  id: 'hello',
  entry: 'list',
  nodes: { list: { id: 'list', spec: { tool: 'file.list', args: { path: '.' } } }, done: { id: 'done', spec: {} } },
  edges: [{ id: 'next', from: 'list', to: 'done', event: 'NEXT' }],
}

/** Whole processes: what a person waits for before a command begins, above what Node alone takes. */
export async function starting(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-start-'))
  try {
    const packed = await installed(folder)
    writeFileSync(join(folder, 'hello.workflow.json'), JSON.stringify(HELLO))
    writeFileSync(join(folder, 'hello.dot'), PIPELINE)
    writeFileSync(join(folder, 'constant.dot'), CONSTANT)
    await measure(line, 'packed', packed, folder, {
      '--version': 'aim 40',
      runs: 'aim 150',
      'validate hello.workflow.json': 'aim 150',
      'validate hello.dot': 'aim 150',
      'run hello.workflow.json': 'aim 250',
      'run constant.dot': 'aim 250',
    })
    await measure(line, 'workshop', join(PACKAGE, 'bin/reflex.js'), folder, {
      '--version': 'aim 150',
      runs: 'aim 400',
      'validate hello.workflow.json': 'aim 400',
      'validate hello.dot': 'aim 400',
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The command of the package as it is published, unpacked beside the dependencies of the workshop. */
export async function installed(folder: string): Promise<string> {
  const tarball = await pack(join(folder, 'stage'))
  const at = join(folder, 'package')
  run('tar', ['-xzf', tarball, '-C', folder], folder)
  symlinkSync(resolve(PACKAGE, '../../node_modules'), join(at, 'node_modules'))
  return join(at, 'bin/reflex.js')
}

async function measure(line: Line, where: string, command: string, cwd: string, aims: Readonly<Record<string, string>>): Promise<void> {
  const verbs = Object.keys(aims)
  const contestants = [['-e', '0'], ...verbs.map((verb) => [command, ...verb.split(' ')])].map((args) => processOf(args, cwd))
  const [floor, ...measured] = await alternate(contestants, 1, 15)
  for (const [i, { rounds }] of measured.entries()) {
    const above = median(rounds.map((ns, round) => (ns - (floor?.rounds[round] ?? Number.NaN)) / 1e6))
    line(`reflex ${verbs[i]}, ${where}`, `${above.toFixed(0)} ms`, `above node -e 0; ${aims[verbs[i] ?? ''] ?? ''}`)
  }
}

/** A process of this Node from its start to its end. */
export function processOf(args: readonly string[], cwd: string): Contestant {
  return {
    name: args.join(' '),
    round() {
      const from = performance.now()
      // Whoever has worked here may know hundreds of stores, whose folders each command looks up.
      const env = { ...process.env, XDG_STATE_HOME: join(cwd, 'state') }
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${args.join(' ')}: exit ${status}\n${stderr}`)
      return Promise.resolve(performance.now() - from)
    },
  }
}
