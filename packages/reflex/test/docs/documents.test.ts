import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { outdatedPages } from '../../../../scripts/docs.ts'

const root = resolve(import.meta.dirname, '../../../..')
const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root }).toSorted()

/** The fenced blocks of one language. */
function blocks(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body = '']) => body)
}

/** A work folder that finds the package as an application would. */
function workplace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-docs-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
  return folder
}

function node(args: readonly string[], cwd: string): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', input: '' })
  return { code: status, stdout, stderr }
}

describe('documents', () => {
  test('pages that are made from the code are as the code says', () => {
    expect(outdatedPages(), 'npm run docs').toEqual([])
  })

  test.each(documents)('%s links to what is there', (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const targets = [...text.matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)[)"]/g)].map(([, target = '']) => target)
    const local = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''))
    expect(local.filter((target) => !existsSync(resolve(root, dirname(file), target)))).toEqual([])
  })
})

describe('README', () => {
  const [hello = ''] = blocks('README.md', 'json')

  test('its first program is formatted', () => {
    const folder = workplace()
    writeFileSync(join(folder, 'hello.workflow.json'), hello)
    expect(node([join(root, 'packages/reflex/bin/reflex.js'), 'fmt', '--check', 'hello.workflow.json'], folder).code).toBe(0)
  })

  test('its commands do what it says, with nobody at the terminal', () => {
    const folder = workplace()
    writeFileSync(join(folder, 'hello.workflow.json'), hello)
    const commands = blocks('README.md', 'sh')
      .join('')
      .split('\n')
      .flatMap((line) => /^npx reflex ([^#]*)/.exec(line)?.[1]?.trim() ?? [])
    const codes = commands.map((command) => [
      command,
      node([join(root, 'packages/reflex/bin/reflex.js'), ...command.split(' ')], folder).code,
    ])
    expect(Object.fromEntries(codes)).toEqual({
      'validate hello.workflow.json': 0,
      'graph hello.workflow.json': 0,
      'run hello.workflow.json': 75,
      inbox: 0,
      'answer last YES': 0,
      runs: 0,
      'explain R1042': 0,
    })
  })

  test.each(blocks('README.md', 'ts').map((source, i) => [i + 1, source]))('TypeScript example %i runs', (_, source) => {
    const folder = workplace()
    writeFileSync(join(folder, 'hello.workflow.json'), hello)
    writeFileSync(join(folder, 'example.ts'), source)
    const { code, stdout, stderr } = node(['example.ts'], folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('completed')
  })
})

test('every TypeScript example of the documentation has its imports', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })]
  const bare = pages.flatMap((page) =>
    blocks(page, 'ts').flatMap((source) => (/^import /m.test(source) ? [] : [`${page}: ${source.split('\n')[0]}`])),
  )
  expect(bare).toEqual([])
})
