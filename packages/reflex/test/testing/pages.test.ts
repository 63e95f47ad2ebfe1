import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../../..')
const pages = [
  'docs/testing.md',
  'docs/extending/kind.md',
  'docs/extending/store.md',
  'docs/extending/port.md',
  'docs/extending/operation.md',
]

/** Returns the TypeScript of a page by file. The first line of each example names its file. */
function filesOf(page: string): readonly (readonly [name: string, text: string])[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, body = '']) => [/^\/\/ (\S+)\n/.exec(body)?.[1] ?? '', body] as const)
}

/** Creates a work folder that finds the package like an application. */
function workplace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-pages-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  return folder
}

function node(args: readonly string[], cwd: string): Promise<{ readonly code: number | null; readonly out: string }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.on('close', (code) => done({ code, out }))
  })
}

describe('pages about testing and extending', () => {
  test.each(pages)('the examples of %s run, and their tests pass', async (page) => {
    const files = filesOf(page)
    expect(files.map(([name]) => name).filter((name) => !name.endsWith('.ts'))).toEqual([])
    const folder = workplace()
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    const tests = files.flatMap(([name]) => (name.endsWith('.test.ts') ? [name] : []))
    expect(tests.length).toBeGreaterThan(0)
    for (const name of tests) {
      const { code, out } = await node([name], folder)
      expect(code, out).toBe(0)
      expect(out).toMatch(/pass [1-9]/)
    }
  })

  test('every page of docs is in the index, and every example in the index of examples', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    const documents = ['', 'kinds/', 'extending/'].flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).flatMap((name) => (name.endsWith('.md') && name !== 'README.md' ? [`${folder}${name}`] : [])),
    )
    expect(documents.filter((document) => !index.includes(`(${document})`))).toEqual([])
    const examples = readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'README.md')))
    const listed = readFileSync(join(root, 'examples/README.md'), 'utf8')
    expect(examples.filter((name) => !listed.includes(`(${name}/README.md)`))).toEqual([])
    expect(examples.map((name) => name.slice(0, 2))).toEqual(examples.map((_, i) => String(i + 1).padStart(2, '0')))
  })
})
