// vite.config.ts: how the studio is built: below /studio/, hashed names, nothing inlined (the content policy forbids it).
import { defineConfig } from 'vite'
import react from '@vitejs/plugin-react'

export default defineConfig({
  base: '/studio/',
  plugins: [react()],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: false }
})
