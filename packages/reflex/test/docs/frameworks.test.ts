import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kindPage, wordsOf } from './page.ts'

const command = resolve(import.meta.dirname, '../../bin/reflex.js')

/** The pages of the adapters of frameworks. Their models are scripted. */
describe.each(['ai-sdk', 'mastra'])('the page of %s', (name) => {
  const page = kindPage(`skill-${name}`)
  const programs = page.blocks.flatMap(({ file, text }) => (file !== undefined && text.includes('reflex.wrap(') ? [{ file, text }] : []))
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
    for (const { file, text } of programs) {
      const says = [...text.matchAll(/^console\.log\(.*\) +\/\/ (.*)$/gm)].map(([, line = '']) => line)
      expect({ file, ...node(file) }).toEqual({ file, status: 0, stdout: `${says.join('\n')}\n`, stderr: '' })
    }
    const outputs = commands.map((line) => {
      const { stdout, ...ended } = node(command, ...wordsOf(line.replace(/^npx reflex /, '')))
      expect({ line, ...ended }).toEqual({ line, status: 0, stderr: '' })
      return stdout
    })
    expect(outputs.join()).toContain('the agent calls a tool')
    expect(outputs.join()).toContain('0 effects')
  })
})
