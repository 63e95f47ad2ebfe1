import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kindPage, wordsOf } from './page.ts'

const command = resolve(import.meta.dirname, '../../bin/reflex.js')

/** The pages of wrapped clients and frameworks. Their models are scripted. */
const PAGES = ['openai', 'anthropic', 'ai-sdk', 'mastra', 'openai-agents', 'langchain', 'langgraph']

describe.each(PAGES)('the page of %s', (name) => {
  const page = kindPage(`skill-${name}`)
  const programs = page.blocks.flatMap(({ file, text }) => {
    const said = [...text.matchAll(/^\s*console\.log.* \/\/ (.*)$/gm)].map(([, line = '']) => line)
    return file !== undefined && said.length > 0 ? [{ file, said }] : []
  })
  const commands = page.blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'))

  /** Runs a program of the page, or a command, with a home of its own. */
  function node(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
    const { folder } = page
    const env = { ...process.env, HOME: folder, XDG_STATE_HOME: folder }
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', input: '', env })
    return { status, stdout, stderr }
  }

  test('its agents print what it says, and its commands show the turn', { timeout: 600_000 }, () => {
    expect(programs.length).toBeGreaterThan(0)
    for (const { file, said } of programs)
      expect({ file, ...node(file) }).toEqual({ file, status: 0, stdout: `${said.join('\n')}\n`, stderr: '' })
    const shown = commands.map((line) => {
      const { stdout, ...ended } = node(command, ...wordsOf(line.replace(/^npx reflex /, '')))
      expect({ line, ...ended }).toEqual({ line, status: 0, stderr: '' })
      return stdout
    })
    if (commands.length === 0) return
    expect(shown.join()).toContain('the agent calls a tool')
    expect(shown.join()).toContain('0 effects')
  })
})
