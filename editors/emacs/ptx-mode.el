;;; ptx-mode.el --- PTX with eglot  -*- lexical-binding: t -*-

;; Author: The ptx-atomics authors
;; URL: https://github.com/OWNER/ptx-atomics
;; Keywords: languages, tools
;; Version: 0.1.0
;; SPDX-License-Identifier: MIT OR Apache-2.0
;; Package-Requires: ((emacs "29.1"))

;;; Commentary:

;; A mode for PTX, the virtual assembly of NVIDIA's GPUs, and `ptx-atomics lsp' as its server:
;;
;;   (load "/path/to/ptx-atomics/editors/emacs/ptx-mode.el")
;;
;; Files that end in .ptx and have no .version or .target (PreTeXt, laser scans) are ignored.

;;; Code:

(require 'eglot)

(defgroup ptx nil
  "PTX and the server ptx-atomics."
  :group 'languages)

(defcustom ptx-server-command '("ptx-atomics" "lsp")
  "The command that starts the server."
  :type '(repeat string))

(defcustom ptx-settings nil
  "Settings of the server, such as (:target \"sm_90\" :disable [\"narrow-address\"])."
  :type 'plist)

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?% "_" table)
    (modify-syntax-entry ?$ "_" table)
    table)
  "Comments as in C; registers are symbols.")

(defvar ptx-font-lock-keywords
  '(("\\(?:^\\|[;{}:]\\)\\s-*\\(?:@!?[%$_[:alnum:]]+\\s-+\\)?\\([a-z][a-z0-9_]*\\)\\(\\(?:[.:]+[[:alnum:]_]+\\)*\\)"
     (1 font-lock-keyword-face) (2 font-lock-builtin-face))
    ("^\\s-*\\([%$_[:alpha:]][[:alnum:]_$]*\\):" 1 font-lock-constant-face)
    ("\\.\\(?:entry\\|func\\)\\s-+\\([%$_[:alnum:]]+\\)" 1 font-lock-function-name-face)
    ("\\.[a-z][a-z0-9_]*" . font-lock-type-face)
    ("%[[:alnum:]_$]+" . font-lock-variable-name-face))
  "Colours; no mnemonic is named, for what begins a statement is an opcode.")

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "PTX with diagnostics, completion, documentation and evaluation by ptx-atomics."
  (setq-local comment-start "// "
              comment-end ""
              indent-tabs-mode nil
              font-lock-defaults '(ptx-font-lock-keywords)))

;; Loaded with `magic-mode-alist': it is called before the mode is.
;;;###autoload
(defun ptx-content-p ()
  "Whether the buffer holds PTX."
  (save-excursion
    (goto-char (point-min))
    (re-search-forward "^\\s-*\\.\\(?:version\\|target\\)\\s-" (min (point-max) 65536) t)))

;; Tried before the extensions: the text decides whether a file is PTX, not its name.
;;;###autoload
(add-to-list 'magic-mode-alist
             (cons (lambda () (and buffer-file-name (string-suffix-p ".ptx" buffer-file-name t) (ptx-content-p)))
                   'ptx-mode))

(defun ptx--contact (&rest _)
  "How eglot starts the server, and what it tells it first."
  (append ptx-server-command (and ptx-settings (list :initializationOptions ptx-settings))))

(add-to-list 'eglot-server-programs '(ptx-mode . ptx--contact))

(add-hook 'ptx-mode-hook #'eglot-ensure)

(provide 'ptx-mode)
;;; ptx-mode.el ends here
