/**
 * `npm test`: every check of the workshop, cheapest first. It stops at the first check that fails and counts
 * the rest as skipped; `--all`, which .ci/run asks for, goes on and adds the slow ones. Names pick checks:
 * `node scripts/check.ts lint arrows`. The last line is the summary, and nothing failed when the exit code is 0.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { provideBubblewrap } from './bubblewrap.ts'
import { add, type Counts, isCounts, NOTHING, summary } from './counts.ts'
import { providePrograms } from './test-programs.ts'

interface Check {
  readonly name: string
  /** A JavaScript or TypeScript file below the root, and its arguments. */
  readonly command: readonly string[]
  /** Only with `--all` or by name. */
  readonly slow?: true
}

const CHECKS: readonly Check[] = [
  { name: 'lock', command: ['scripts/lock.ts', '--check'] },
  { name: 'exports', command: ['scripts/exports.ts', '--check'] },
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.json'] },
  { name: 'page', command: ['node_modules/typescript/bin/tsc', '--project', 'packages/reflex/src/serve/page'] },
  { name: 'arrows', command: ['scripts/arrows.ts'] },
  { name: 'kinds', command: ['scripts/kind-names.ts'] },
  { name: 'lint', command: ['node_modules/oxlint/bin/oxlint'] },
  { name: 'format', command: ['node_modules/@biomejs/biome/bin/biome', 'format', '.'] },
  { name: 'tests', command: ['node_modules/vitest/vitest.mjs', 'run'] },
  { name: 'unused', command: ['node_modules/knip/bin/knip.js'], slow: true },
  { name: 'bare-install', command: ['scripts/bare-install.ts'], slow: true },
]

const ROOT = resolve(import.meta.dirname, '..')

/** Runs one check in a process of its own. Without a report of its own it counts as one. */
function run({ command: [file = '', ...args] }: Check): Promise<Counts> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, [resolve(ROOT, file), ...args], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    let counts: Counts | undefined
    child.on('message', (message) => {
      if (isCounts(message)) counts = message
    })
    child.on('error', () => settle({ ...NOTHING, failed: 1 }))
    child.on('close', (code) => {
      const own = counts ?? { ...NOTHING, passed: code === 0 ? 1 : 0 }
      settle(code !== 0 && own.failed === 0 ? { ...own, failed: 1 } : own)
    })
  })
}

async function runAll(checks: readonly Check[], goOn: boolean): Promise<Counts> {
  let total = NOTHING
  for (const check of checks) {
    if (total.failed > 0 && !goOn) {
      total = add(total, { ...NOTHING, skipped: 1 })
      continue
    }
    if (check.name === 'tests') prepareTests(goOn)
    const start = Date.now()
    const counts = await run(check)
    console.log(`${counts.failed === 0 ? '✓' : '✗'} ${check.name}  ${summary(counts)}  ${((Date.now() - start) / 1000).toFixed(1)} s\n`)
    total = add(total, counts)
  }
  return total
}

/** `all`: also installs what is large, or a service. */
function prepareTests(all: boolean): void {
  if (all) providePrograms()
  const missing = provideBubblewrap()
  if (missing !== undefined) console.log(`- sandbox  tests with bubblewrap are skipped: ${missing}`)
}

const args = process.argv.slice(2)
const all = args.includes('--all')
const names = args.filter((arg) => arg !== '--all')
const unknown = names.filter((name) => !CHECKS.some((check) => check.name === name))
if (unknown.length > 0) {
  console.error(`error  no check is called ${unknown.join(', ')}\n  fix    one of ${CHECKS.map((check) => check.name).join(', ')}`)
  process.exit(2)
}
const total = await runAll(
  CHECKS.filter((check) => (names.length > 0 ? names.includes(check.name) : all || check.slow !== true)),
  all,
)
console.log(summary(total))
process.exitCode = total.failed > 0 ? 1 : 0
