import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { environmentOf } from '../environment.ts'

const root = resolve(import.meta.dirname, '../../../..')

/** A block of code of a page; `file` if it is the text of a file. */
interface PageBlock {
  readonly file: string | undefined
  readonly language: string
  readonly text: string
}

/** A page of the docs, and a folder with the files that it shows, which exists while the tests of the file run. */
export interface DocsPage {
  /** The blocks in order. A block behind a line with only a name and a colon is a file of that name. */
  readonly blocks: readonly PageBlock[]
  readonly folder: string
}

/** Reads the page of a kind, and writes its files to a folder of their own before the tests. */
export function kindPage(kind: string): DocsPage {
  const text = readFileSync(join(root, `docs/kinds/${kind}.md`), 'utf8')
  const blocks = [...text.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```/gm)].map(
    ([, file, language = '', block = '']): PageBlock => ({ file, language, text: block }),
  )
  const folder = linkedFolder(kind)
  beforeAll(() => {
    for (const block of blocks) if (block.file !== undefined) writeFileSync(join(folder(), block.file), block.text)
  })
  return {
    blocks,
    get folder() {
      return folder()
    },
  }
}

/** Makes a folder in which the packages of this repository are installed. It exists while the tests of the file run. */
export function linkedFolder(name: string): () => string {
  let folder = ''
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), `reflex-${name}-docs-`)))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => folder
}

/** Returns the words of a command for a shell: those in single quotes are one. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
}

/** The end of a command that ran in a process of its own. */
export interface EndedProcess {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a line of a page, `npx reflex …` or `node …`, in a process of its own. */
export function inProcess(folder: string, line: string): EndedProcess {
  const words = wordsOf(line)
  const argv = words[0] === 'npx' ? [join(root, 'packages/reflex/bin/reflex.js'), ...words.slice(2)] : words.slice(1)
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: environmentOf(),
  })
  return { code: status, out: stdout, err: stderr }
}
