// main.tsx: the studio begins.
import './styles/base.css'
import './styles/ui.css'
import './styles/shell.css'
import { createRoot } from 'react-dom/client'
import { App } from './app'
import { start } from './session'
import { startTheme } from './theme'

startTheme()
createRoot(document.getElementById('root')!).render(<App />)
void start()
