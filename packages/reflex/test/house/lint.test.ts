import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../../..')
const PLANTED: Readonly<Record<string, string>> = {
  'store/clock.ts': 'export const now: number = Date.now() + performance.now()\nsetTimeout(String, 1)\n',
  'tools/env.ts': 'export const home: unknown = process.env\n',
  'policy/ids.ts':
    "import { createHash, randomUUID } from 'node:crypto'\nexport const ids: unknown = [createHash, randomUUID, Math.random()]\n",
  'kernel/ports/host.ts': 'export const now: number = Date.now()\n',
  'kernel/buffer.ts': "export const bytes: unknown = Buffer.from('a')\n",
  'cli/main.ts': "export const plain: unknown = process.env['NO_COLOR']\n",
  'cli/host.ts': "export const plain: unknown = process.env['NO_COLOR']\n",
  'text/a.ts': "import type { B } from './b.ts'\nexport type A = { b?: B }\n",
  'text/b.ts': "import type { A } from './a.ts'\nexport type B = { a?: A }\n",
  'people/any.ts': 'export default (x: any): unknown => x!\n',
  'people/floats.ts': 'async function ask(): Promise<void> {}\nask()\n',
}

let folder = ''
let findings: string[] = []

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reflex-lint-'))
  for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(ROOT, file), join(folder, file))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [file, text] of Object.entries(PLANTED)) {
    const path = join(folder, 'packages/reflex/src', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format=unix', 'packages'], { cwd: folder, encoding: 'utf8' })
  findings = stdout.split('\n').flatMap((line) => /src\/(.+?):.*\[Error\/\w+\((.+)\)\]/.exec(line)?.slice(1).join(' ') ?? [])
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('finds every planted violation, and none in the hosts', () => {
  expect(findings.toSorted()).toEqual([
    'cli/main.ts no-restricted-properties',
    'kernel/buffer.ts no-restricted-globals',
    'people/any.ts explicit-module-boundary-types',
    'people/any.ts no-default-export',
    'people/any.ts no-explicit-any',
    'people/any.ts no-non-null-assertion',
    'people/floats.ts no-floating-promises',
    'policy/ids.ts no-restricted-imports',
    'policy/ids.ts no-restricted-properties',
    'store/clock.ts no-restricted-globals',
    'store/clock.ts no-restricted-globals',
    'store/clock.ts no-restricted-properties',
    'text/a.ts no-cycle',
    'text/b.ts no-cycle',
    'tools/env.ts no-restricted-properties',
  ])
})
