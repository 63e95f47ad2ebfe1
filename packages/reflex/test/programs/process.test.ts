import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const BIN = join(import.meta.dirname, '../../bin/reflex.js')

it.each(['process.exit(0)', 'process.exit(5)'])(
  'a module that does %s at its top does not pass for a result',
  { timeout: 60_000 },
  (code) => {
    const folder = mkdtempSync(join(tmpdir(), 'reflex-library-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'kid.workflow.mjs'), `${code}\n`)
    const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, 'run', 'kid.workflow.mjs'], { cwd: folder, encoding: 'utf8' })
    expect([status, stdout, stderr.split('\n').length]).toEqual([70, '', 2])
    expect(stderr).toMatch(/^error {2}the command ended before it was done/)
  },
)
