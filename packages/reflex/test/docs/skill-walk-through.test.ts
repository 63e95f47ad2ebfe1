import { describe, expect, test } from 'vitest'
import { type EndedProcess, inProcess, kindPage } from './page.ts'

const page = kindPage('skill-walk-through')

describe('the walk-through of skills', () => {
  test('its commands end well, and its agent deploys, asks, and undoes as the page says', { timeout: 600_000 }, () => {
    const lines = page.blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trimEnd().split('\n'))
    const ends = new Map<string, EndedProcess>()
    for (const line of lines) ends.set(line, inProcess(page.folder, line))
    expect([...ends].filter(([, { code }]) => code !== 0)).toEqual([])
    const [shown] = page.blocks.filter(({ language }) => language === 'text')
    expect(ends.get('node release.mjs')?.out).toBe(shown?.text)
    expect(ends.get('npx reflex skill test deploy.app.skill.json --tools cloud.mjs')?.out).toContain('44 of 50 mutated cases')
    expect(ends.get('npx reflex skill why deploy.app --run last')?.out).toContain('approved')
  })
})
