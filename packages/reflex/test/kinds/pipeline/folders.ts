import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of a test's own, gone with it. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'reflex-pipeline-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Every file below a folder with what is in it. */
export function filesIn(root: string): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file): [string, string] => [relative(root, file), readFileSync(file, 'utf8')])
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A file as data. */
export function dataIn(...path: readonly string[]): Record<string, unknown> {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as Record<string, unknown>
}
