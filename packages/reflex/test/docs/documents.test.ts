import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import { actions } from '../../src/cli/actions.ts'
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
  test('pages that are made from the code are as the code says', async () => {
    expect(await outdatedPages(), 'npm run docs').toEqual([])
  })

  test.each(documents)('%s links to what is there', (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const targets = [...text.matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)[)"]/g)].map(([, target = '']) => target)
    const local = targets.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''))
    expect(local.filter((target) => !existsSync(resolve(root, dirname(file), target)))).toEqual([])
  })
})

describe('ARCHITECTURE', () => {
  const sources = 'packages/reflex/src'
  /** Names of files and folders stand as code; a bare name of a file is one of the sources. */
  const names = [...readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/`([\w.-]+\/[\w./-]*|[\w-]+\.ts)`/g)].map(
    ([, name = '']) => name,
  )
  const files = new Set(globSync('**/*.ts', { cwd: join(root, sources) }).map((file) => basename(file)))
  const folders = new Set(globSync('**/', { cwd: join(root, sources) }).map((folder) => basename(folder)))

  test('every file and folder that it names is there', () => {
    expect(names.length).toBeGreaterThan(100)
    const isThere = (name: string): boolean =>
      existsSync(join(root, sources, name)) ||
      existsSync(join(root, name)) ||
      files.has(name) ||
      (/^[^/]+\/$/.test(name) && folders.has(name.slice(0, -1)))
    expect(names.filter((name) => !isThere(name))).toEqual([])
  })

  test('every room of the sources is in it', () => {
    const rooms = globSync('{*,kinds/*,kernel/*,kinds/pipeline/*}/', { cwd: join(root, sources) }).filter((folder) => folder !== 'kinds')
    expect(rooms.filter((room) => !names.includes(`${room.replace(/\/$/, '')}/`))).toEqual([])
  })
})

describe('every `reflex` command of the documentation', () => {
  const verbs = new Map(actions.map((verb) => [verb.name, verb]))

  /** The commands in blocks for a shell, without comments, and those in code spans. */
  function commandsOf(file: string): string[] {
    const text = readFileSync(join(root, file), 'utf8')
    const scripts = blocks(file, 'sh(?: .*)?').flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    const spans = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    return [...scripts, ...spans].flatMap((line) => /^(?:\w+=\S+ )*(?:npx )?(?:--prefix \S+ )?(reflex [a-z].*)/s.exec(line)?.[1] ?? [])
  }

  /** What is wrong with a command: a verb or a flag that is not there. */
  function problemsOf(command: string): string[] {
    const [, name = '', ...words] = (command.replaceAll(/'[^']*'|"[^"]*"/g, 'text').split(/ #| \| | > /)[0] ?? '').trim().split(/\s+/)
    const verb = verbs.get(name)
    if (verb === undefined) return [`${command}: there is no ${name}`]
    const flags = new Set(['--help', ...verb.options.flatMap(({ long, short }) => [long, short])])
    const given = words.flatMap((word) => /^\[?(--?[a-z][\w-]*)/.exec(word)?.[1] ?? [])
    return given.flatMap((flag) => (flags.has(flag) ? [] : [`${command}: ${name} has no ${flag}`]))
  }

  test('has a verb and flags that are there', () => {
    const commands = documents.flatMap(commandsOf)
    expect(commands.length).toBeGreaterThan(100)
    expect([...new Set(commands.flatMap(problemsOf))]).toEqual([])
    expect(problemsOf("reflex fork last@9 --decid 'a --b' # --c")).toEqual([
      "reflex fork last@9 --decid 'a --b' # --c: fork has no --decid",
    ])
  })

  test('is a script of the package if it is one of npm', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    const named = documents.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/npm run ([a-z][\w:]*)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
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

describe('every TypeScript example of the documentation', () => {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map((page) => ({ page, sources: blocks(page, 'ts(?: .*)?') }))

  test('has its imports', () => {
    const bare = pages.flatMap(({ page, sources }) =>
      sources.flatMap((source) => (/^import /m.test(source) ? [] : [`${page}: ${source.split('\n')[0]}`])),
    )
    expect(bare).toEqual([])
  })

  test('uses no name that it does not import and that nothing on its page declares', () => {
    const folder = workplace()
    const files = pages.flatMap(({ page, sources }, at) =>
      sources.map((source, i) => {
        const name = `page${at}-${i}.ts`
        writeFileSync(join(folder, name), source)
        return { name, page, sources }
      }),
    )
    const options = ['--noEmit', '--noResolve', '--pretty', 'false', '--target', 'es2024', '--lib', 'es2024,dom', '--module', 'nodenext']
    const more = ['--moduleDetection', 'force', '--allowImportingTsExtensions', '--types', 'node']
    const names = files.map(({ name }) => name)
    const { stdout } = node([join(root, 'node_modules/typescript/bin/tsc'), ...options, ...more, ...names], folder)
    const unknown = Array.from(stdout.matchAll(/^(page\d+-\d+\.ts)\((\d+),\d+\): error TS(?:2304|2552|2593|18004): .*?'(\w+)'/gm)).flatMap(
      ([, name, line, word]) => {
        const { page = '', sources = [] } = files.find((file) => file.name === name) ?? {}
        const declares = new RegExp(`\\b(?:const|let|function|class) ${word}\\b`)
        return sources.some((source) => declares.test(source)) ? [] : [`${page}: ${word} in line ${line} of ${name}`]
      },
    )
    expect(stdout, 'unresolved imports show that the compiler has looked').toContain('TS2307')
    expect(unknown).toEqual([])
  })
})
