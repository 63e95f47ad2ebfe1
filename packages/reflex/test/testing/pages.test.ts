import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { typeFaults } from '../compiler.ts'

const root = resolve(import.meta.dirname, '../../../..')
const pages = [
  'docs/testing.md',
  'docs/extending/kind.md',
  'docs/extending/tool.md',
  'docs/extending/store.md',
  'docs/extending/port.md',
  'docs/extending/operation.md',
]

/** A fenced block of a page: a file, whose first line names it in a comment, or commands with what they print. */
type Block = { readonly name: string; readonly text: string } | { readonly command: string; readonly output: string }

/** Returns the files and commands of a page in their order. Every block of TypeScript is a file. */
function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```(ts|json|text|console)\n([\s\S]*?)^```/gm)].flatMap(([, language, body = '']): Block[] => {
    if (language === 'console')
      return body.split(/^\$ /m).flatMap((part) => {
        const end = part.indexOf('\n')
        return part === '' ? [] : [{ command: part.slice(0, end), output: part.slice(end + 1) }]
      })
    const name = /^(?:\/\/|#) (\S+)\n/.exec(body)?.[1]
    return name === undefined && language !== 'ts' ? [] : [{ name: name ?? '', text: body }]
  })
}

/** The end of the report of a test file of which no test failed. */
const PASSED = /pass [1-9]\d*\n.*fail 0\n/s

/** True if an output is as a page shows it: without durations and the path of the folder; a line `…` stands for any lines. */
function isShown(out: string, shown: string, folder: string): boolean {
  const plain = out.replaceAll(`${folder}/`, '').replaceAll(/ \([\d.]+ms\)$/gm, '')
  const parts = shown.split(/^…\n/m)
  if (parts.length === 1) return plain === shown
  const places = parts.map((part) => plain.indexOf(part))
  return places[0] === 0 && places.every((place, i) => place >= 0 && place >= (places[i - 1] ?? 0))
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
  test.each(pages)('the examples of %s run, its tests pass, and its commands print what it shows', async (page) => {
    const folder = workplace()
    const blocks = blocksOf(page)
    const tests = new Set<string>()
    expect(blocks.some((block) => 'name' in block && block.name.endsWith('.test.ts'))).toBe(true)
    for (const block of blocks) {
      if ('name' in block) {
        expect(block.name).toMatch(/^[\w.-]+\.\w+$/)
        writeFileSync(join(folder, block.name), block.text)
        if (block.name.endsWith('.test.ts')) tests.add(block.name)
        continue
      }
      const args = block.command.replace(/^node /, '').split(' ')
      const { out } = await node(args, folder)
      if (!isShown(out, block.output, folder)) expect(out, `$ ${block.command}`).toBe(block.output)
      if (tests.delete(args[0] ?? '')) expect(out).toMatch(PASSED)
    }
    for (const name of tests) {
      const { code, out } = await node([name], folder)
      expect(code, out).toBe(0)
      expect(out).toMatch(PASSED)
    }
  })

  test('the examples have no type errors', () => {
    const folder = workplace()
    const files = pages.flatMap((page, i) => {
      mkdirSync(join(folder, `page${i}`))
      return blocksOf(page).flatMap((block) => {
        if (!('name' in block && block.name.endsWith('.ts'))) return []
        const file = `page${i}/${block.name}`
        writeFileSync(join(folder, file), block.text)
        return [file]
      })
    })
    expect(typeFaults(folder, [...new Set(files)], { extends: join(root, 'tsconfig.json') })).toEqual([])
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
    // Each number once; the names are in the order of their numbers.
    expect(examples.filter((name) => !/^\d\d-/.test(name))).toEqual([])
    expect(new Set(examples.map((name) => name.slice(0, 2))).size).toBe(examples.length)
  })
})
