/**
 * Runs the offer once, shows its state before the decision, decides differently in a fork, and compares both. Each line that
 * begins with $ is a command that you can type.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const REFLEX = resolve(import.meta.dirname, '../../packages/reflex/bin/reflex.js')
const folder = mkdtempSync(join(tmpdir(), 'reflex-go-back-'))
for (const name of ['offer.workflow.json', 'customer.json']) cpSync(join(import.meta.dirname, name), join(folder, name))

/** Exit code 1 of `diff` means a difference, which is not a failure here. */
function reflex(...words: readonly string[]): void {
  console.log(`\n$ reflex ${words.join(' ')}`)
  const { status } = spawnSync(process.execPath, [REFLEX, ...words], { cwd: folder, stdio: 'inherit' })
  if (status !== 0 && !(status === 1 && words[0] === 'diff')) {
    console.error(`ended with ${status}`)
    process.exit(1)
  }
}

console.log(`one run, opened, replayed, forked and compared · ${folder}`)
reflex('run', 'offer.workflow.json', '--id', 'otter-2m9q')
reflex('show', 'otter@3')
reflex('replay', 'otter')
reflex('fork', 'otter@3', '--decide', 'year', '--id', 'crane-6v4h')
reflex('resume', 'crane')
reflex('diff', 'otter', 'crane', '--text')
reflex('why', 'crane', 'letter')
